"""Waits that only the simulation sees, told to the guards."""

from __future__ import annotations

import torch

import devlint
from devlint.model import Synchronization


def _branches(x: torch.Tensor) -> torch.Tensor:
    if bool(x.any()):
        return x + 1
    return x


def test_a_branch_in_a_scripted_function() -> None:
    scripted = torch.jit.script(_branches)
    with devlint.simulate("cuda"), devlint.guard() as guard:
        result = scripted(torch.ones(2).to("cuda"))
        assert result.device.type == "cuda"
    seen = [tally.event for tally in guard.tallies() if isinstance(tally.event, Synchronization)]
    assert "aten::_local_scalar_dense" in [event.operator for event in seen]
