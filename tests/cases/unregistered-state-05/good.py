from typing import Tuple

import torch
from torch import Tensor, nn


class PermuteLayer(nn.Module):
    r"""
    A bijection that reorders the last dimension of its input by a fixed random permutation.

    :param input_dim: the size of the last dimension
    """

    volume_preserving = True

    def __init__(self, input_dim: int) -> None:
        super().__init__()
        self.register_buffer("permutation", torch.randperm(input_dim))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        y = x.index_select(-1, self.permutation)
        return y, torch.zeros(x.shape[:-1], dtype=x.dtype, device=x.device)

    def inverse(self, y: Tensor) -> Tensor:
        return y.index_select(-1, torch.argsort(self.permutation))


class AffineCoupling(nn.Module):
    """Shifts and scales one half of the input by a function of the other."""

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.split = input_dim // 2
        self.net = nn.Sequential(
            nn.Linear(self.split, hidden_dim),
            nn.ReLU(),
            nn.Linear(hidden_dim, 2 * (input_dim - self.split)),
        )

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        left, right = x[..., : self.split], x[..., self.split :]
        loc, log_scale = self.net(left).chunk(2, dim=-1)
        y = torch.cat((left, right * log_scale.exp() + loc), dim=-1)
        return y, log_scale.sum(-1)
