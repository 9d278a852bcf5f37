from itertools import accumulate

import torch
from torch import nn


def async_tensor_h2d(data: list[int], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Copy a list to the device from pinned memory, without waiting for the copy."""
    staged = torch.tensor(data, dtype=dtype, pin_memory=torch.cuda.is_available())
    return staged.to(device, non_blocking=True)


class VisionBlock(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden_size)
        self.attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)

    def forward(self, x: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        blocked = segments[:, None] != segments[None, :]
        y = self.norm(x).unsqueeze(0)
        y, _ = self.attn(y, y, y, attn_mask=blocked, need_weights=False)
        return x + y.squeeze(0)


class VisionTransformer(nn.Module):
    def __init__(self, patch_dim: int, hidden_size: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.patch_embed = nn.Linear(patch_dim, hidden_size)
        self.blocks = nn.ModuleList(VisionBlock(hidden_size, num_heads) for _ in range(depth))
        self.merger = nn.Linear(hidden_size, hidden_size)

    def forward(self, pixel_values: torch.Tensor, grid_thw: list[list[int]]) -> torch.Tensor:
        x = self.patch_embed(pixel_values)

        ends = list(accumulate(t * h * w for t, h, w in grid_thw))
        cu_seqlens = async_tensor_h2d(ends, torch.int32, x.device)
        positions = torch.arange(x.shape[0], dtype=torch.int32, device=x.device)
        segments = torch.bucketize(positions, cu_seqlens, right=True)

        for block in self.blocks:
            x = block(x, segments)
        return self.merger(x)
