"""Tensors on two GPUs meet, and tensors are moved to the GPU that they are on already.
The first raises; the second does nothing and returns the tensor itself, which is no copy.
"""

import torch

x = torch.rand(3, 3, device="cuda:0")
y = torch.rand(3, 3, device="cuda:1")

z = x.cuda(1)
print("no copy was made:", z.cuda(1) is z)  # error: [DL308]

a = torch.rand(3, 3, device="cuda")
a = a.to("cuda")  # error: [DL308]

print(x + y)  # error: [DL101]
