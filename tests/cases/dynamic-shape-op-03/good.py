from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from diffusers.configuration_utils import ConfigMixin, register_to_config
from diffusers.models.modeling_utils import ModelMixin


class TextConnector(ModelMixin, ConfigMixin):
    """
    Replaces the padding of encoded prompts by learned registers and refines the sequence.

    Args:
        inner_dim (`int`): Channels of the prompt embeddings.
        num_layers (`int`): Number of transformer layers.
        num_registers (`int`): Number of learned registers.
    """

    @register_to_config
    def __init__(self, inner_dim: int = 3840, num_heads: int = 30, num_layers: int = 2, num_registers: int = 128):
        super().__init__()
        self.num_registers = num_registers
        self.registers = nn.Parameter(torch.rand(num_registers, inner_dim) * 2.0 - 1.0)
        self.layers = nn.ModuleList(
            [nn.TransformerEncoderLayer(inner_dim, num_heads, batch_first=True) for _ in range(num_layers)]
        )
        self.norm_out = nn.LayerNorm(inner_dim, elementwise_affine=False)

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: Optional[torch.Tensor] = None
    ) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
        batch_size, seq_len, _ = hidden_states.shape

        if attention_mask is not None:
            repeats = seq_len // self.num_registers
            registers = self.registers.tile((repeats, 1)).unsqueeze(0)
            mask = attention_mask.unsqueeze(-1).to(hidden_states.dtype)
            hidden_states = mask * hidden_states + (1 - mask) * registers
            attention_mask = torch.ones_like(attention_mask)

        for layer in self.layers:
            hidden_states = layer(hidden_states)
        return F.silu(self.norm_out(hidden_states)), attention_mask
