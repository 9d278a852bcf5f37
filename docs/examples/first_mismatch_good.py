"""Both tensors are made on the device that one line at the top decides about.
The program runs on every machine, and on another device when that line changes.
"""

import torch

device = torch.device("cpu")

x = torch.rand(3, 3, device=device)
print("x is on", x.device)

y = torch.rand(3, 3, device=device)
print("y is on", y.device)

z = x + y
print("their sum is on", z.device)
