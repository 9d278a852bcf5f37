"""GPU work is timed with `time.time()`, and nothing waits for it before the clock is read again.
What is printed is the time that it took to queue the products, which is far less than they take.
"""

import time

import torch

a = torch.randn(1000, 1000, device="cuda")

start = time.time()
for _ in range(10):
    b = a @ a
print(f"{time.time() - start:.4f} s")  # error: [DL209]
