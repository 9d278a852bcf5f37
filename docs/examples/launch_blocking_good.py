"""The code says nothing of `CUDA_LAUNCH_BLOCKING`, which is set for one run when an error has to be found.
In a shell: `CUDA_LAUNCH_BLOCKING=1 python launch_blocking_good.py`.
"""

import torch

labels = torch.tensor([0, 1, 2]).to("cuda")
table = torch.nn.Embedding(3, 8).to("cuda")
print(table(labels).shape)
