from typing import List, Tuple

import torch
from torch import Tensor, nn


class _FeatureNet(nn.Module):
    """Activations of a small convolutional network at several depths."""

    def __init__(self, widths: Tuple[int, ...] = (16, 32, 64)) -> None:
        super().__init__()
        stages = []
        channels = 3
        for width in widths:
            stages.append(nn.Sequential(nn.Conv2d(channels, width, 3, stride=2, padding=1), nn.ReLU()))
            channels = width
        self.stages = nn.ModuleList(stages)

    def forward(self, img: Tensor) -> List[Tensor]:
        features = []
        for stage in self.stages:
            img = stage(img)
            features.append(img)
        return features


def _normalize(features: Tensor, eps: float = 1e-8) -> Tensor:
    return features / torch.sqrt(eps + torch.sum(features**2, dim=1, keepdim=True))


def perceptual_similarity(img1: Tensor, img2: Tensor, normalize: bool = False) -> Tensor:
    """Distance of two batches of images in the space of a network's activations.

    Args:
        img1: a batch of images of shape (N, 3, H, W)
        img2: a batch of images of the same shape
        normalize: whether the images are in [0, 1] rather than in [-1, 1]
    """
    if img1.shape != img2.shape:
        raise ValueError(f"Expected images of one shape, got {img1.shape} and {img2.shape}")
    if normalize:
        img1, img2 = 2 * img1 - 1, 2 * img2 - 1
    net = _FeatureNet().eval()
    features1 = net(img1)  # error: [DL106]
    features2 = net(img2)  # also: [DL413]
    distances = [
        (_normalize(a) - _normalize(b)).pow(2).sum(1).mean((1, 2)) for a, b in zip(features1, features2)
    ]
    return torch.stack(distances).sum(0).mean()
