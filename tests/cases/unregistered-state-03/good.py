from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class MultiChannelProjection(nn.Module):
    r"""Projects several groups of channels and scales each projection by the
    square root of the size of its group.

    Args:
        channels (List[int]): Sizes of the groups.
        out_channels (int): Size of each projection.
        dropout (float, optional): Dropout probability. (default: :obj:`0.`)
    """

    def __init__(self, channels: List[int], out_channels: int, dropout: float = 0.0):
        super().__init__()
        self.channels = channels
        self.out_channels = out_channels
        self.dropout = dropout
        self.lins = nn.ModuleList([nn.Linear(c, out_channels) for c in channels])
        self.norm = nn.LayerNorm(out_channels)
        self.register_buffer('scale', torch.sqrt(torch.tensor([float(c) for c in channels])))
        self.reset_parameters()

    def reset_parameters(self):
        for lin in self.lins:
            lin.reset_parameters()
        self.norm.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        groups = x.split(self.channels, dim=-1)
        outs = [lin(group) for lin, group in zip(self.lins, groups)]
        out = torch.stack(outs, dim=-1) / self.scale
        out = self.norm(out.sum(dim=-1))
        return F.dropout(out, p=self.dropout, training=self.training)

    def __repr__(self) -> str:
        return f'{self.__class__.__name__}({self.channels}, {self.out_channels})'
