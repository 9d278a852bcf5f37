"""
Implementation of "Attention is All You Need"
"""
import numpy as np
import torch
import torch.nn as nn

MAX_SIZE = 5000


class TransformerDecoderLayer(nn.Module):
    def __init__(self, size, head_count, dropout, hidden_size=2048):
        super(TransformerDecoderLayer, self).__init__()
        self.self_attn = nn.MultiheadAttention(size, head_count, dropout=dropout, batch_first=True)
        self.feed_forward = nn.Sequential(
            nn.Linear(size, hidden_size), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden_size, size)
        )
        self.layer_norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)
        self.mask = self._get_attn_subsequent_mask(MAX_SIZE)  # error: [DL103]

    def forward(self, input, tgt_pad_mask):
        """
        Args:
            input: batch x tgt_len x size
            tgt_pad_mask: batch x tgt_len x tgt_len, true at padding
        """
        tgt_len = input.size(1)
        dec_mask = torch.gt(tgt_pad_mask + self.mask[:, :tgt_len, :tgt_len], 0)
        dec_mask = dec_mask.repeat_interleave(self.self_attn.num_heads, dim=0)
        x = self.layer_norm(input)
        query, attn = self.self_attn(x, x, x, attn_mask=dec_mask)
        x = self.dropout(query) + input
        return self.feed_forward(x) + x, attn

    def _get_attn_subsequent_mask(self, size):
        """Mask that hides subsequent positions, 1 x size x size."""
        attn_shape = (1, size, size)
        subsequent_mask = np.triu(np.ones(attn_shape), k=1).astype('uint8')
        return torch.from_numpy(subsequent_mask)
