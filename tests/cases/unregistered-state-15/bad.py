from typing import Tuple

import torch
from torch import Tensor, nn


def rotate_half(x: Tensor) -> Tensor:
    left, right = x.chunk(2, dim=-1)
    return torch.cat((-right, left), dim=-1)


class RotaryEmbedding(nn.Module):
    """Rotates queries and keys by an angle that grows with their position.

    Args:
        dim: size of one head
        max_positions: number of positions for which the tables are made
        base: base of the wavelengths
    """

    def __init__(self, dim: int, max_positions: int = 2048, base: float = 10000.0) -> None:
        super().__init__()
        self.dim = dim
        self.max_positions = max_positions
        frequencies = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
        angles = torch.outer(torch.arange(max_positions).float(), frequencies)  # also: [DL102]
        angles = torch.cat((angles, angles), dim=-1)

        self.tables = {"cos": angles.cos(), "sin": angles.sin()}  # error: [DL103]
        for name, table in self.tables.items():
            self.register_buffer(name, table)

    def rotate(self, x: Tensor, offset: int = 0) -> Tensor:
        stop = offset + x.shape[-2]
        cos = self.tables["cos"][offset:stop]
        sin = self.tables["sin"][offset:stop]
        return x * cos + rotate_half(x) * sin  # also: [DL101]

    def forward(self, query: Tensor, key: Tensor, offset: int = 0) -> Tuple[Tensor, Tensor]:
        if offset + key.shape[-2] > self.max_positions:
            raise ValueError(f"Only {self.max_positions} positions were prepared.")
        return self.rotate(query, offset), self.rotate(key, offset)
