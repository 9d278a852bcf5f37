"""Two integer tensors, one of them moved with `.to("cuda")`, added in both orders.
Whichever stands first, it is `t1`, left on the CPU, that has to move.
"""

import torch


def moved_on_the_right():
    t1 = torch.randint(0, 10, (2, 3))  # error: [DL102]
    t2 = torch.randint(0, 10, (2, 3))
    t2 = t2.to("cuda")
    return t1 + t2


def moved_on_the_left():
    t1 = torch.randint(0, 10, (2, 3))  # error: [DL102]
    t2 = torch.randint(0, 10, (2, 3))
    t2 = t2.to("cuda")
    return t2 + t1


def made_apart():
    t1 = torch.randint(0, 10, (2, 3), device="cpu")
    t2 = torch.randint(0, 10, (2, 3), device="cuda")
    return t1 + t2, t2 + t1  # error: [DL101, DL101]


if __name__ == "__main__":
    print(moved_on_the_right())
    print(moved_on_the_left())
    print(made_apart())
