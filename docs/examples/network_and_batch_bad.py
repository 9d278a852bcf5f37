"""`network.cuda()` moves a network in place, but `t.cuda()` returns a copy and leaves `t` where it was.
A call then brings a network and a batch together that are on different devices, whichever of them was moved.
"""

import torch
from torch import nn


def only_the_network_is_moved():
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    network.cuda()
    t = torch.rand(4, 8)  # error: [DL102]
    return network(t)


def the_moved_batch_is_dropped():
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    t = torch.rand(4, 8)
    network.cuda()
    t.cuda()  # error: [DL105]
    return network(t)


def only_the_batch_is_moved():
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    t = torch.rand(4, 8)
    t = t.cuda()
    return network(t)  # error: [DL106]


if __name__ == "__main__":
    print(only_the_network_is_moved().shape)
    print(the_moved_batch_is_dropped().shape)
    print(only_the_batch_is_moved().shape)
