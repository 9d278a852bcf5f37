"""Attention with linear biases over the patches of an image."""
import math

import torch
from torch import Tensor, nn


def alibi_slopes(num_heads: int) -> list[float]:
    start = 2 ** (-8 / num_heads)
    return [start ** (i + 1) for i in range(num_heads)]


def make_alibi_bias(num_heads: int, grid_size: int) -> Tensor:
    """Bias of each head: the negative distance between patches, times the slope of the head."""
    coords = torch.stack(
        torch.meshgrid(torch.arange(grid_size), torch.arange(grid_size), indexing='ij'), dim=-1
    )
    coords = coords.reshape(-1, 2).float()
    distance = torch.cdist(coords, coords)
    slopes = torch.tensor(alibi_slopes(num_heads))
    return -distance.unsqueeze(0) * slopes.view(-1, 1, 1)


class AlibiAttention(nn.Module):
    """Multi-head self-attention whose logits are biased by distance.

    Args:
        dim: size of the embeddings
        num_heads: number of heads
        grid_size: number of patches along one side of the image
    """

    def __init__(self, dim: int, num_heads: int, grid_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.register_buffer('attention_bias', make_alibi_bias(num_heads, grid_size))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, dim = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        attn = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        attn = (attn + self.attention_bias).softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(batch, length, dim)
        return self.proj(x)
