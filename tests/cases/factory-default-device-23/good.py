from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Parameter
from torch_geometric.nn.conv import MessagePassing
from torch_geometric.nn.dense.linear import Linear
from torch_geometric.nn.inits import glorot, zeros
from torch_geometric.utils import softmax


class EdgeAttentionConv(MessagePassing):
    r"""Attention over incoming edges, scaled by the size of the
    neighbourhood.

    Args:
        in_channels (int): Size of each input sample.
        out_channels (int): Size of each output sample.
        negative_slope (float, optional): LeakyReLU angle of the negative
            slope. (default: :obj:`0.2`)
    """
    def __init__(self, in_channels: int, out_channels: int,
                 negative_slope: float = 0.2, **kwargs):
        kwargs.setdefault('aggr', 'add')
        super().__init__(node_dim=0, **kwargs)
        self.negative_slope = negative_slope
        self.lin = Linear(in_channels, out_channels, bias=False)
        self.att = Parameter(torch.empty(1, out_channels))
        self.bias = Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self):
        self.lin.reset_parameters()
        glorot(self.att)
        zeros(self.bias)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.lin(x)
        alpha = (x * self.att).sum(dim=-1)
        out = self.propagate(edge_index, x=x, alpha=alpha)
        return out + self.bias

    def message(self, x_j: Tensor, alpha_j: Tensor, index: Tensor,
                ptr: Optional[Tensor], size_i: Optional[int]) -> Tensor:
        alpha = F.leaky_relu(alpha_j, self.negative_slope)
        alpha = softmax(alpha, index, ptr, size_i)
        ones = alpha.new_ones(index.size())
        degree = alpha.new_zeros(size_i).scatter_add_(0, index, ones)
        degree = degree[index]
        alpha = alpha * torch.sqrt(degree + 1)
        return x_j * alpha.unsqueeze(-1)
