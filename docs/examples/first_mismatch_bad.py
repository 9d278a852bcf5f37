"""One tensor is moved to CUDA, and the next one is made without a device, so it is on the CPU.
Adding them raises `Expected all tensors to be on the same device, but found at least two devices`.
"""

import torch

x = torch.rand(3, 3)
x = x.to("cuda")
print("x is on", x.device)

y = torch.rand(3, 3)  # error: [DL102]
print("y is on", y.device)

z = x + y
print("their sum is on", z.device)
