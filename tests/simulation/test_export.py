"""Modules on simulated devices are exported, and run on them afterwards."""

from __future__ import annotations

import torch
from torch import nn

from devlint.simulation import Simulation


def test_an_exported_module_computes_on_the_device() -> None:
    with Simulation("cuda", 1):
        module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU()).cuda().eval()
        x = torch.ones(2, 3, device="cuda")
        result = torch.export.export(module, (x,)).module()(x)
        assert result.is_cuda
        assert torch.equal(result, module(x))
