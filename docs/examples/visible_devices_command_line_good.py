"""The GPU is chosen where the program is started: `CUDA_VISIBLE_DEVICES=1 python FILE`.
The program only reads the variable; it sees one GPU, and that one is `cuda:0`.
"""

import os

import torch

print("visible:", os.environ.get("CUDA_VISIBLE_DEVICES", "all"))
print("the first of", torch.cuda.device_count(), "is cuda:0")

x = torch.ones(2, 3, device="cuda:0")
print(x.device)
