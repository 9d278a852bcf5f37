# Lightweight convolution over time

import torch
import torch.nn as nn
import torch.nn.functional as F


class HeadwiseConv(nn.Module):
    """Convolves each group of channels with one normalized kernel.

    Args:
        channels: number of channels of the input
        kernel_size: how many time steps a kernel covers
        heads: number of kernels; each serves ``channels // heads`` channels
        dropout: share of the kernel entries that are dropped in training
    """

    def __init__(self, channels, kernel_size=3, heads=4, dropout=0.1):
        super().__init__()
        assert channels % heads == 0, "channels must be a multiple of heads"
        self.kernel_size = kernel_size
        self.heads = heads
        self.dropout = dropout
        self.logits = nn.Parameter(torch.empty(heads, kernel_size))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.normal_(self.logits, std=0.02)

    def forward(self, x):
        """x: batch x channels x time; only the past is seen"""
        batch, channels, time = x.shape
        kernels = torch.softmax(self.logits.float(), dim=-1).type_as(x)
        kernels = F.dropout(kernels, self.dropout, training=self.training)

        folded = x.reshape(batch * channels // self.heads, self.heads, time)
        folded = F.pad(folded, (self.kernel_size - 1, 0))
        out = F.conv1d(folded, kernels.unsqueeze(1), groups=self.heads)
        return out.reshape(batch, channels, time)


class ConvBlock(nn.Module):
    def __init__(self, channels, **kwargs):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.conv = HeadwiseConv(channels, **kwargs)
        self.out = nn.Linear(channels, channels)

    def forward(self, x):
        y = self.conv(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.out(y)
