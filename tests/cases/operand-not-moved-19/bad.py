from typing import List

import torch
from torch import Tensor, nn


class DefaultBoxGenerator(nn.Module):
    """
    Generates the default boxes of SSD for one feature map.

    Args:
        aspect_ratios (List[float]): Aspect ratios of the boxes at each cell.
        scale (float): Scale of the boxes, relative to the image.
        clip (bool): Whether the sizes are kept within the image.
    """

    def __init__(self, aspect_ratios: List[float], scale: float, clip: bool = True):
        super().__init__()
        self.aspect_ratios = aspect_ratios
        self.scale = scale
        self.clip = clip
        self.wh_pairs = self._generate_wh_pairs()  # error: [DL103]

    def _generate_wh_pairs(self) -> Tensor:
        pairs = [[self.scale, self.scale]]
        for ar in self.aspect_ratios:
            root = ar**0.5
            pairs.extend([[self.scale * root, self.scale / root], [self.scale / root, self.scale * root]])
        return torch.tensor(pairs, dtype=torch.float32)  # also: [DL102]

    def num_anchors_per_location(self) -> int:
        return 1 + 2 * len(self.aspect_ratios)

    def forward(self, feature_map: Tensor) -> Tensor:
        height, width = feature_map.shape[-2:]
        num_anchors = self.num_anchors_per_location()
        shifts_x = (torch.arange(width, device=feature_map.device) + 0.5) / width
        shifts_y = (torch.arange(height, device=feature_map.device) + 0.5) / height
        grid_y, grid_x = torch.meshgrid(shifts_y, shifts_x, indexing="ij")
        shifts = torch.stack((grid_x.flatten(), grid_y.flatten()), dim=1)
        shifts = shifts.repeat_interleave(num_anchors, dim=0)

        wh = self.wh_pairs.clamp(min=0, max=1) if self.clip else self.wh_pairs
        wh = wh.repeat(height * width, 1)
        return torch.cat((shifts, wh), dim=1)
