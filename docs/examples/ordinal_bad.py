"""The program makes one GPU visible, the second of the machine, and asks for it by its old number.
Ordinals count the visible GPUs from 0, so `cuda:1` raises `CUDA error: invalid device ordinal`.
"""

import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

x = torch.ones(2, 3)
x = x.to("cuda:1")  # error: [DL113]
print(x.device)
