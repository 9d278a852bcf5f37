import torch
import torch.nn as nn


class GridHead(nn.Module):
    # predicts boxes on the cells of several feature maps

    def __init__(self, num_classes, anchors, strides, channels):
        super().__init__()
        self.num_outputs = num_classes + 5  # box, objectness, classes
        self.num_anchors = len(anchors[0])
        self.strides = strides
        self.cells = {}  # cached cell corners by level
        self.register_buffer('anchors', torch.tensor(anchors, dtype=torch.float32))  # levels x anchors x 2
        self.convs = nn.ModuleList(nn.Conv2d(c, self.num_anchors * self.num_outputs, 1) for c in channels)

    def make_cells(self, height, width):
        d = self.anchors.device
        y, x = torch.meshgrid(torch.arange(height).to(d), torch.arange(width).to(d), indexing='ij')  # error: [DL301]
        return torch.stack((x, y), dim=-1).float()  # height x width x 2

    def cells_of(self, level, height, width):
        cached = self.cells.get(level)
        if cached is None or cached.shape[:2] != (height, width):
            self.cells[level] = self.make_cells(height, width)
        return self.cells[level]

    def decode(self, level, raw):
        # raw: batch x anchors x height x width x outputs
        height, width = raw.shape[2:4]
        offset, size, rest = raw.sigmoid().split((2, 2, self.num_outputs - 4), dim=-1)
        centre = (offset + self.cells_of(level, height, width)) * self.strides[level]
        size = (2 * size).square() * self.anchors[level].view(1, -1, 1, 1, 2)
        return torch.cat((centre, size, rest), dim=-1).flatten(1, 3)

    def forward(self, features):
        raw = []
        for conv, feature in zip(self.convs, features):
            out = conv(feature).unflatten(1, (self.num_anchors, self.num_outputs))
            raw.append(out.permute(0, 1, 3, 4, 2))
        if self.training:
            return raw
        return torch.cat([self.decode(level, r) for level, r in enumerate(raw)], dim=1)
