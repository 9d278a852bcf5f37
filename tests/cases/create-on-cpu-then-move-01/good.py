"""A small decoder."""

from typing import Optional

import torch
from torch import nn


def causal_bias(
    length: int, past_length: int, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """Additive mask of shape `(length, past_length + length)` that hides what comes later."""
    bias = torch.full((length, length), torch.finfo(dtype).min, dtype=dtype, device=device)
    bias = bias.triu(diagonal=1)
    if past_length > 0:
        past = torch.zeros((length, past_length), dtype=dtype, device=device)
        bias = torch.cat([past, bias], dim=1)
    return bias


class DecoderLayer(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.ln_attn = nn.LayerNorm(hidden_size)
        self.ln_mlp = nn.LayerNorm(hidden_size)
        self.qkv = nn.Linear(hidden_size, 3 * hidden_size)
        self.proj = nn.Linear(hidden_size, hidden_size)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_size, 4 * hidden_size), nn.GELU(), nn.Linear(4 * hidden_size, hidden_size)
        )

    def forward(self, hidden_states: torch.Tensor, bias: Optional[torch.Tensor] = None) -> torch.Tensor:
        qkv = self.qkv(self.ln_attn(hidden_states)).unflatten(-1, (3, self.num_heads, -1))
        query, key, value = qkv.transpose(1, 3).unbind(2)
        attended = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        hidden_states = hidden_states + self.proj(attended.transpose(1, 2).flatten(2))
        return hidden_states + self.mlp(self.ln_mlp(hidden_states))


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.hidden_size)
        self.wpe = nn.Embedding(config.max_positions, config.hidden_size)
        self.layers = nn.ModuleList(DecoderLayer(config.hidden_size, config.num_heads) for _ in range(config.num_layers))

    def forward(self, input_ids: torch.LongTensor) -> torch.Tensor:
        length = input_ids.shape[1]
        hidden_states = self.wte(input_ids) + self.wpe(torch.arange(length, device=input_ids.device))
        bias = causal_bias(length, 0, hidden_states.dtype, hidden_states.device)
        for layer in self.layers:
            hidden_states = layer(hidden_states, bias)
        return hidden_states
