from typing import List, Tuple

import numpy as np
import torch
from torch import nn


def get_rotary_frequencies(dim: int, pos: np.ndarray, theta: float = 10000.0) -> np.ndarray:
    freqs = 1.0 / (theta ** (np.arange(0, dim, 2, dtype=np.float32) / dim))
    return np.repeat(np.outer(pos, freqs), 2, axis=1)


class AxialRotaryEmbed(nn.Module):
    """Rotary position embedding over several axes of position ids."""

    def __init__(self, theta: int, axes_dim: List[int]):
        super().__init__()
        self.theta = theta
        self.axes_dim = axes_dim

    def forward(self, ids: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        n_axes = ids.shape[-1]
        pos = ids.float().cpu().numpy()  # also: [DL205|DL303]
        freqs = [get_rotary_frequencies(self.axes_dim[i], pos[:, i], self.theta) for i in range(n_axes)]
        freqs = torch.from_numpy(np.concatenate(freqs, axis=-1)).to(ids.device)  # error: [DL303] # also: [DL306]
        return freqs.cos(), freqs.sin()


class JointAttention(nn.Module):
    def __init__(self, dim: int, heads: int, axes_dim: List[int]):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.to_out = nn.Linear(dim, dim)
        self.pos_embed = AxialRotaryEmbed(theta=10000, axes_dim=axes_dim)

    def forward(self, hidden_states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        cos, sin = self.pos_embed(ids)
        q, k, v = self.to_qkv(hidden_states).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = (x * cos + torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(3) * sin for x in (q, k))
        out = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.to_out(out.transpose(1, 2).flatten(2))
