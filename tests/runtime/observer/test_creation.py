"""Tests that no argument of a factory disturbs the observer."""

from __future__ import annotations

import torch

import devlint
from devlint.runtime.session.observation import shared
from devlint.tensors.provenance import origin_of


def test_a_factory_that_writes_into_a_tensor() -> None:
    given = torch.empty(2, 2)
    with devlint.guard():
        torch.eye(2, out=given)
        made = torch.ones(2)
    assert not shared().failed
    assert given.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    (step,) = origin_of(made).steps
    assert (step.operator, step.tied) == ("torch.ones", False)
