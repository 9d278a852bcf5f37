"""`CUDA_VISIBLE_DEVICES` is set when CUDA has started, and CUDA reads it only once.
The program goes on with the GPUs that it had, without a word.
"""

import os

import torch

x = torch.ones(2, 3, device="cuda")
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # error: [DL404]
y = torch.ones(2, 3, device="cuda")
print(x + y)
