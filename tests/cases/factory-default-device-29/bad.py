from __future__ import annotations

from typing import Sequence

import torch


def unravel_index(index: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """Coordinates of flat positions, one row per position."""
    coordinates = []
    for dim in reversed(shape):
        coordinates.append(index % dim)
        index = torch.div(index, dim, rounding_mode="floor")
    return torch.stack(list(reversed(coordinates)), dim=-1)


def expand_index(index: torch.Tensor, batch_size: Sequence[int]) -> torch.Tensor:
    """Joins the last position of each trajectory to its batch coordinates.

    Args:
        index (torch.Tensor): positions along the time dimension, of shape ``batch_size``.
        batch_size (sequence of int): batch size of the stored data.

    Returns:
        coordinates of shape ``(*batch_size, len(batch_size) + 1)``.
    """
    if tuple(index.shape) != tuple(batch_size):
        raise RuntimeError(f"Expected an index of shape {tuple(batch_size)}, got {tuple(index.shape)}.")
    grid = torch.meshgrid(*(torch.arange(dim) for dim in batch_size), indexing="ij")  # error: [DL102]
    return torch.stack([*grid, index], dim=-1)


def gather_last(data: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Last valid element of each trajectory in a padded batch of data."""
    coordinates = expand_index(lengths - 1, lengths.shape)
    return data[tuple(coordinates.unbind(-1))]
