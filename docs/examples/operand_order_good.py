"""Both integer tensors are moved with `.to("cuda")` before they are added.
Both orders run, and the sums are on CUDA too.
"""

import torch


def both_orders():
    t1 = torch.randint(0, 10, (2, 3))
    t2 = torch.randint(0, 10, (2, 3))
    t1 = t1.to("cuda")
    t2 = t2.to("cuda")
    return t1 + t2, t2 + t1


if __name__ == "__main__":
    left, right = both_orders()
    print(left.device, right.device)
