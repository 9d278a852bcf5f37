"""Tests that hypotheses are tried only where they can show something."""

from __future__ import annotations

import pytest

from tests.source.machine.test_remembering import steps

_FUNCTION = """
import torch

def made():
    return torch.ones(3)

def work(x):
    y = torch.ones(3, device=x.device)
    {body}
    return torch.relu(x) + {other}
"""
_LONG = "y = (y + 1) * (y + 2) * (y + 3) * (y + 4) * (y + 5) * (y + 6) * (y + 7) * (y + 8)"


@pytest.mark.parametrize(
    ("other", "times"),
    [("y", 1), ("made()", 2)],
    ids=["where the input lies", "on the host"],
)
def test_a_function_is_followed_again_if_it_mixes_devices(other: str, times: int) -> None:
    once = steps(_LONG) - steps("pass")
    long, short = (steps(_FUNCTION.format(body=body, other=other)) for body in (_LONG, "pass"))
    assert long - short == times * once


_DERIVED = """
import torch

class Base(torch.nn.Module):
    def score(self, x):
        y = self.compute(x)
        {body}
        return y

class Derived(Base):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def compute(self, x):
        y = torch.ones(3, device=x.device)
        return x + {other}
"""


@pytest.mark.parametrize(
    ("other", "times"),
    [("y", 1), ("torch.ones(3)", 2)],
    ids=["where the module lies", "on the host"],
)
def test_an_inherited_method_is_followed_if_it_may_mix_devices(other: str, times: int) -> None:
    once = steps(_LONG) - steps("pass")
    long, short = (steps(_DERIVED.format(body=body, other=other)) for body in (_LONG, "pass"))
    assert long - short == times * once
