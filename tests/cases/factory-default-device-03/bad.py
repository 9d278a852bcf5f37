from typing import Sequence, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def _uniform_kernel(
    channels: int, kernel_size: Sequence[int], dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Averaging kernel for a grouped convolution."""
    kernel = torch.ones(1, 1, *kernel_size, dtype=dtype) / torch.prod(torch.Tensor(kernel_size))  # error: [DL102]
    return kernel.expand(channels, 1, *kernel_size)


def _moments(preds: Tensor, target: Tensor, kernel: Tensor) -> Tuple[Tensor, ...]:
    channels = preds.size(1)
    stacked = torch.cat((preds, target, preds * preds, target * target, preds * target))
    outputs = F.conv2d(stacked, kernel, groups=channels)  # also: [DL101]
    return outputs.split(preds.shape[0])


def universal_image_quality_index(
    preds: Tensor, target: Tensor, kernel_size: Sequence[int] = (8, 8)
) -> Tensor:
    """Universal image quality index of two batches of images of shape (B, C, H, W)."""
    if preds.shape != target.shape:
        raise ValueError(f"Shapes differ: {preds.shape} and {target.shape}")
    if any(size <= 0 for size in kernel_size):
        raise ValueError(f"Expected `kernel_size` to be positive. Got {kernel_size}.")

    kernel = _uniform_kernel(preds.size(1), kernel_size, preds.dtype, preds.device)
    mu_p, mu_t, pp, tt, pt = _moments(preds, target, kernel)
    var_p = pp - mu_p.pow(2)
    var_t = tt - mu_t.pow(2)
    cov = pt - mu_p * mu_t
    upper = 4 * mu_p * mu_t * cov
    lower = (mu_p.pow(2) + mu_t.pow(2)) * (var_p + var_t)
    return (upper / (lower + torch.finfo(preds.dtype).eps)).mean()
