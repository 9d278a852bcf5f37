"""Tests that a value computed on the host has the origin of the values from which it was computed."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable

import pytest
import torch

import devlint
from devlint.model import Step
from devlint.runtime.session import observation
from devlint.tensors.provenance import derive, origin_of

needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")


@pytest.mark.parametrize(
    "compute",
    [
        torch.sqrt,
        lambda x: 2 * x + 1,
        lambda x: torch.stack([x, x]).sum(0),
        lambda x: x.split(2)[1].exp(),
        lambda x: torch.where(x > 0, x, torch.tensor(0.0)),
        lambda x: x.clone().add_(1).double(),
        lambda x: torch.nn.functional.softmax(x, dim=0),
        copy.deepcopy,
    ],
)
def test_it_keeps_the_place_where_its_first_ancestor_was_made(
    compute: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    with devlint.simulate("cuda"), devlint.guard():
        base = torch.arange(4.0)
        made = origin_of(base).first
        origin = origin_of(compute(base))
    assert made is not None
    assert made.operator == "torch.arange"
    assert origin.first == made
    assert origin.is_derived


def test_its_history_does_not_grow() -> None:
    with devlint.simulate("cuda"), devlint.guard():
        x = torch.ones(3)
        for _ in range(100):
            x = x * 2
        origin = origin_of(x)
    assert [step.step for step in origin.steps] == [Step.MADE, Step.DERIVED]


def test_what_a_device_computes_has_no_such_history() -> None:
    with devlint.simulate("cuda"), devlint.guard():
        x = torch.ones(3, device="cuda")
        assert not origin_of(x * 2).steps


def test_what_came_down_from_a_device_is_no_ancestor() -> None:
    with devlint.simulate("cuda"), devlint.guard():
        x = torch.ones(3, device="cuda").cpu()
        assert origin_of(x).was_moved
        assert not origin_of(x * 2).steps


def test_what_has_a_history_keeps_it() -> None:
    with devlint.guard():
        made, other = torch.ones(3), torch.zeros(3)
    before = origin_of(made)
    derive(made, [other])
    assert origin_of(made) == before
    derive(plain := torch.ones(3), [2, [other], made])
    assert origin_of(plain).first == origin_of(other).first


@needs_columns
def test_one_root_is_one_finding() -> None:
    class Schedule:
        def __init__(self) -> None:
            steps = torch.arange(100.0)
            self.low = (steps / 100).sqrt()
            self.high = torch.stack([steps, steps]).sum(0)

        def noise(self, x: torch.Tensor) -> torch.Tensor:
            return self.low[:4] * x + self.high[:4] * x

    with devlint.simulate("cuda"), devlint.guard(mismatch="log") as guard:
        Schedule().noise(torch.randn(4, device="cuda"))
    (finding,) = guard.findings
    assert finding.code == "DL102"
    assert "is computed from what `arange` creates on cpu, but `x` is on cuda" in finding.message


def test_the_note_of_an_error_names_the_root() -> None:
    with devlint.simulate("cuda"), devlint.guard(), pytest.raises(RuntimeError) as raised:
        torch.linspace(0, 1, 4).sqrt() + torch.ones(4, device="cuda")
    notes = "\n".join(getattr(raised.value, "__notes__", ()))
    assert "computed from what was created there by `torch.linspace`" in notes


@pytest.mark.parametrize("real", [True, False])
def test_it_is_kept_where_there_is_a_device(monkeypatch: pytest.MonkeyPatch, real: bool) -> None:
    monkeypatch.setattr(observation.shared().observer, "_measures", real)
    with devlint.guard():
        origin = origin_of(torch.arange(4.0).sqrt())
    assert origin.is_derived is real
