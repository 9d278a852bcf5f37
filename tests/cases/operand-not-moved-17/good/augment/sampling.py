"""Draws the parameters of augmentations, one set for each image of a batch."""

from typing import Dict, Tuple

import torch
from torch import Tensor


def uniform_parameters(batch_size: int, factor: Tuple[float, float], p: float) -> Dict[str, Tensor]:
    """A factor for each image, and whether it is applied to it.

    Args:
        batch_size: number of images.
        factor: bounds between which the factor is drawn.
        p: how likely it is to be applied.
    """
    low, high = factor
    return {
        "factor": low + (high - low) * torch.rand(batch_size),
        "applied": (torch.rand(batch_size) < p).float(),
    }
