import numpy as np
import torch
from torch import nn


class PointQueryGenerator(nn.Module):
    """
    Generates point queries on a regular grid, and keeps those of one window.
    """

    def __init__(self, hidden_dim, stride=8):
        super().__init__()
        self.stride = stride
        self.query_embed = nn.Linear(2, hidden_dim)

    def grid_points(self, images):
        height, width = images.shape[-2:]
        shift_x = torch.arange(self.stride // 2, width, self.stride, device=images.device)
        shift_y = torch.arange(self.stride // 2, height, self.stride, device=images.device)
        grid_y, grid_x = torch.meshgrid(shift_y, shift_x, indexing="ij")
        return torch.stack((grid_y.flatten(), grid_x.flatten()))

    def window_index(self, rows, cols, window):
        """Positions of a window's points in the flat grid."""
        top, left, height, width = window
        inside = np.zeros((rows, cols), dtype=bool)
        inside[top : top + height, left : left + width] = True
        index = torch.from_numpy(np.flatnonzero(inside))
        return index

    def forward(self, images, window):
        pts = self.grid_points(images)
        rows, cols = images.shape[-2] // self.stride, images.shape[-1] // self.stride
        idx = self.window_index(rows, cols, window)
        idx = idx.to(pts.device)  # also: [DL306]
        pts = pts[:, idx]
        scale = max(images.shape[-2:])
        return self.query_embed(pts.t().float() / scale)
