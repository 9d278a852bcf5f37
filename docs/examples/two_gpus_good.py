"""A tensor is copied to the GPU of the other one, and the two are added there.
`copy=True` asks for a copy even where the tensor is already on that GPU.
"""

import torch

x = torch.rand(3, 3, device="cuda:0")
y = torch.rand(3, 3, device="cuda:1")

z = x.cuda(1)
print((y + z).device)

spare = z.to("cuda:1", copy=True)
print("another tensor:", spare is not z)
