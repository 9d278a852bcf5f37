"""`CUDA_VISIBLE_DEVICES` is set before anything has made CUDA start.
Importing torch does not start it, so that this order is late but works; above the import is safer.
"""

import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0"

x = torch.ones(2, 3, device="cuda")
y = torch.ones(2, 3, device="cuda")
print(x + y)
