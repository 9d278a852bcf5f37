from typing import Optional

import torch
from torch import nn


def prepare_padding_mask(padding_mask: Optional[torch.Tensor], dtype: torch.dtype, has_padding: bool = True):
    """Turn a 2D padding mask into an additive 4D mask, or into None where nothing is padded."""
    if padding_mask is None or not has_padding:
        return None
    return (1.0 - padding_mask[:, None, None, :].to(dtype)) * torch.finfo(dtype).min


class TinyCausalLM(nn.Module):
    def __init__(self, vocab_size: int, hidden_size: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.embed_tokens = nn.Embedding(vocab_size, hidden_size)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)

    def forward(self, input_ids: torch.LongTensor, attention_mask: Optional[torch.Tensor] = None, has_padding=True):
        hidden_states = self.embed_tokens(input_ids)
        batch, length, hidden = hidden_states.shape
        mask = prepare_padding_mask(attention_mask, hidden_states.dtype, has_padding)

        qkv = self.qkv_proj(hidden_states).view(batch, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = qkv.unbind(0)
        attn_output = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attn_output = attn_output.transpose(1, 2).reshape(batch, length, hidden)
        return self.lm_head(hidden_states + self.o_proj(attn_output))

    @torch.no_grad()
    def generate(self, input_ids: torch.LongTensor, attention_mask: torch.Tensor, max_new_tokens: int = 20):
        has_padding = not attention_mask.all().item()
        for _ in range(max_new_tokens):
            logits = self(input_ids, attention_mask, has_padding)
            next_tokens = logits[:, -1].argmax(dim=-1, keepdim=True)
            input_ids = torch.cat([input_ids, next_tokens], dim=-1)
            attention_mask = torch.cat([attention_mask, attention_mask.new_ones(attention_mask.shape[0], 1)], dim=-1)
        return input_ids
