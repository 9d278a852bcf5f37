"""Encoder over padded sequences."""

import torch
from torch import nn


def bias_gelu(bias, y):
    return torch.nn.functional.gelu(bias + y)


class ParallelFeedForward(nn.Module):
    def __init__(self, hidden_size, ffn_hidden_size):
        super().__init__()
        self.dense_h_to_4h = nn.Linear(hidden_size, ffn_hidden_size, bias=False)
        self.bias = nn.Parameter(torch.zeros(ffn_hidden_size))
        self.dense_4h_to_h = nn.Linear(ffn_hidden_size, hidden_size)

    def forward(self, hidden_states):
        return self.dense_4h_to_h(bias_gelu(self.bias, self.dense_h_to_4h(hidden_states)))


class PaddedEncoder(nn.Module):
    """Embeds tokens and attends to those that are no padding.

    Arguments:
        vocab_size: vocabulary size
        hidden_size: hidden size
        num_attention_heads: number of attention heads
    """

    def __init__(self, vocab_size, hidden_size, num_attention_heads):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size)
        self.input_norm = nn.LayerNorm(hidden_size)
        self.self_attention = nn.MultiheadAttention(hidden_size, num_attention_heads, batch_first=True)
        self.mlp = ParallelFeedForward(hidden_size, 4 * hidden_size)

    def forward(self, tokens, lengths):
        micro_batch_size, seq_length = tokens.size()

        # True where there is padding
        positions = torch.arange(seq_length, device=tokens.device)
        padding_mask = positions[None] >= lengths[:, None]

        hidden_states = self.word_embeddings(tokens)
        residual = hidden_states
        normed = self.input_norm(hidden_states)
        attended, _ = self.self_attention(
            normed, normed, normed, key_padding_mask=padding_mask, need_weights=False
        )
        hidden_states = residual + attended
        return hidden_states + self.mlp(hidden_states)
