import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.conv2(torch.relu(self.conv1(x)))


class DepthNet(nn.Module):
    """Predicts a depth map and, in training, the error against a sparse ground truth."""

    def __init__(self, channels=32, n_blocks=4, max_depth=80.0):
        super().__init__()
        self.max_depth = max_depth
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.Sequential(*[ResidualBlock(channels) for _ in range(n_blocks)])
        self.head = nn.Conv2d(channels, 1, 1)

    def forward(self, image, target=None):
        depth = torch.sigmoid(self.head(self.blocks(self.stem(image)))) * self.max_depth
        if target is None:
            return depth

        valid = (target > 0) & (target < self.max_depth)
        error = (depth - target).abs()
        loss = torch.where(valid, error, 0.0).sum() / valid.sum().clamp(min=1)
        return depth, loss


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    for image, target in loader:
        image = image.to(device, non_blocking=True)
        target = target.to(device, non_blocking=True)
        optimizer.zero_grad()
        _, loss = model(image, target)
        loss.backward()
        optimizer.step()
