from __future__ import annotations

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def pixel_grid(
    height: int,
    width: int,
    device: Optional[torch.device] = None,
    dtype: Optional[torch.dtype] = None,
) -> Tensor:
    """Coordinates of the pixels of an image, :math:`(1, H, W, 2)`, x before y.

    Args:
        height: number of rows.
        width: number of columns.
        device: where the grid is made.
        dtype: floating point type of the grid.
    """
    xs = torch.linspace(0, width - 1, width, device=device, dtype=dtype)
    ys = torch.linspace(0, height - 1, height, device=device, dtype=dtype)
    y, x = torch.meshgrid(ys, xs, indexing="ij")
    return torch.stack([x, y], dim=-1)[None]


class DisplacementWarper(nn.Module):
    """Warp an image by a field of displacements in pixels."""

    def __init__(self, mode: str = "bilinear", padding_mode: str = "zeros") -> None:
        super().__init__()
        self.mode = mode
        self.padding_mode = padding_mode

    def forward(self, image: Tensor, flow: Tensor) -> Tensor:
        if image.shape[-2:] != flow.shape[-2:]:
            raise ValueError(f"Image and flow sizes must match. Got {image.shape} and {flow.shape}")
        height, width = image.shape[-2:]

        grid = pixel_grid(height, width, dtype=image.dtype).to(image.device)  # error: [DL301]
        coords = grid + flow.permute(0, 2, 3, 1)
        x = 2.0 * coords[..., 0] / (width - 1) - 1.0
        y = 2.0 * coords[..., 1] / (height - 1) - 1.0
        normalized = torch.stack([x, y], dim=-1)
        return F.grid_sample(image, normalized, self.mode, self.padding_mode, align_corners=True)
