"""Optimizers step parameters of simulated devices as they step those of the CPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from devlint.simulation import Simulation


@pytest.mark.parametrize(
    "options", [{}, {"fused": True}, {"foreach": True}, {"fused": True, "amsgrad": True}]
)
def test_adamw_is_bit_for_bit_that_of_the_cpu(options: dict[str, Any]) -> None:
    with Simulation("cuda", 1):
        simulated = [weight.tolist() for weight in trained("cuda", options)]
    assert simulated == [weight.tolist() for weight in trained("cpu", options)]


def trained(device: str, options: dict[str, Any]) -> list[torch.Tensor]:
    """The parameters of a small network after two steps, on the host."""
    torch.manual_seed(0)
    network = nn.Linear(3, 2).to(device)
    optimizer = torch.optim.AdamW(network.parameters(), **options)
    for _ in range(2):
        network(torch.ones(1, 3, device=device)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [parameter.detach().cpu() for parameter in network.parameters()]
