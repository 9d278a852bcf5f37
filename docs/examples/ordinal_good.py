"""The program makes one GPU visible, the second of the machine, and asks for the first visible one.
Whichever GPU it is, `cuda:0` is its name in this process.
"""

import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

x = torch.ones(2, 3)
x = x.to("cuda:0")
print(x.device)
