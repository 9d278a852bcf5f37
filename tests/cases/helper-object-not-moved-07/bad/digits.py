"""A classifier of digits, and a table of its layers."""

import torch.nn.functional as F
from shapes import summarize
from torch import nn


class Digits(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3)
        self.conv2 = nn.Conv2d(width, 2 * width, 3)
        self.fc = nn.Linear(2 * width * 5 * 5, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)  # also: [DL106]
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def main():
    model = Digits()
    for name, shape in summarize(model, (1, 28, 28)).items():  # error: [DL106]
        print(f"{name:20} {tuple(shape)}")


if __name__ == "__main__":
    main()
