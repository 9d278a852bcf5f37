"""The network is moved in place, and the batch by keeping what `.cuda()` returns.
A network has no device of its own: its parameters have, and they say where it is.
"""

import torch
from torch import nn


def predict():
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    t = torch.rand(4, 8)
    network.cuda()
    t = t.cuda()
    for name, parameter in network.named_parameters():
        print(name, "is on", parameter.device)
    return network(t)


if __name__ == "__main__":
    print(predict().shape)
