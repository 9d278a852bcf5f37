"""Tests that a hypothesis is tried again only if that can make its events more certain."""

from __future__ import annotations

import pytest

from tests.source.machine.test_remembering import steps

_FUNCTION = """
import torch

def work(x):
    y = torch.ones(3, device=x.device)
    {body}
    return torch.relu(x) + {other}
"""
_LONG = "y = (y + 1) * (y + 2) * (y + 3) * (y + 4) * (y + 5) * (y + 6) * (y + 7) * (y + 8)"


@pytest.mark.parametrize(
    ("other", "times"),
    [("y", 1), ("torch.ones(3)", 2)],
    ids=["where the input lies", "on the host"],
)
def test_a_function_is_followed_again_if_it_mixes_devices(other: str, times: int) -> None:
    once = steps(_LONG) - steps("pass")
    long, short = (steps(_FUNCTION.format(body=body, other=other)) for body in (_LONG, "pass"))
    assert long - short == times * once
