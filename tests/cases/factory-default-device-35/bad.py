from __future__ import annotations

from typing import Sequence

import torch
from torch import Tensor


def _to_uint8(image: Tensor) -> Tensor:
    return (image * 255.0).to(torch.uint8)


def _to_float32(image: Tensor) -> Tensor:
    return image.to(torch.float32) / 255.0


def posterize(image: Tensor, bits: int | Sequence[int] | Tensor) -> Tensor:
    r"""Reduce the number of bits for each color channel.

    Args:
        image: image tensor with shape :math:`(B, C, H, W)` and values in the range [0, 1].
        bits: number of high bits to keep, one for all images or one for each.

    Returns:
        Image with reduced color channels with shape :math:`(B, C, H, W)`.

    Example:
        >>> posterize(torch.rand(2, 3, 8, 8), bits=3).shape
        torch.Size([2, 3, 8, 8])
    """
    if not torch.is_tensor(image):
        raise TypeError(f"Input type is not a torch.Tensor. Got {type(image)}")
    if len(image.shape) != 4:
        raise ValueError(f"Expected an image of shape (B, C, H, W). Got {image.shape}")

    if not isinstance(bits, Tensor):
        bits = torch.as_tensor(bits, dtype=torch.uint8)  # error: [DL102]
    shift = (8 - bits).view(-1, 1, 1, 1)
    quantized = _to_uint8(image)
    return _to_float32((quantized >> shift) << shift)
