"""The host waits for the GPU before each reading of the clock.
The difference is then the time that the products took.
"""

import time

import torch

a = torch.randn(1000, 1000, device="cuda")

torch.cuda.synchronize()
start = time.time()
for _ in range(10):
    b = a @ a
torch.cuda.synchronize()
print(f"{time.time() - start:.4f} s")
