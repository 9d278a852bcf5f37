"""Tests of failures of the simulation: the CPU executes the failed operation, and the program continues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import nn

from devlint.simulation import Simulation, layer
from devlint.simulation.calls import moves
from devlint.simulation.kernels import Kernel, Kernels
from devlint.simulation.operands import Signature
from devlint.simulation.scope import CallScope

PLACES = (
    (layer.Layer, "run"),
    (layer.Layer, "asked"),
    (CallScope, "run"),
    (CallScope, "label"),
    (Kernels, "_foreseen"),
    (Kernels, "_asked"),
    (Kernel, "__init__"),
    (Signature, "common"),
    (moves, "transfer"),
    (moves, "set_label"),
)


class OwnError(Exception):
    """A failure of devlint's own."""


@contextmanager
def failing_once(patch: pytest.MonkeyPatch, owner: Any, name: str) -> Iterator[None]:
    """Have a function of the simulation fail when it is called next."""
    function, left = getattr(owner, name), [True]

    def fails(*args: Any, **kwargs: Any) -> Any:
        if left.pop() if left else False:
            raise OwnError
        return function(*args, **kwargs)

    with patch.context() as change:
        change.setattr(owner, name, fails)
        yield
    assert not left, "it was called"


def program() -> list[float]:
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = nn.Linear(3, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        x = torch.rand(4, 3).to(device)
        loss = (model(x) - torch.ones(2, device=device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [loss.item(), *model.weight.cpu().flatten().tolist()]


@pytest.mark.parametrize(("owner", "name"), PLACES, ids=lambda each: getattr(each, "__name__", each))
def test_the_values_are_those_of_the_cpu(owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[Exception] = []
    plain = program()
    with Simulation("cuda", on_failure=failures.append), failing_once(monkeypatch, owner, name):
        assert program() == plain
    assert [type(failure) for failure in failures] == [OwnError]


def test_without_anybody_to_be_told_it_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulation("cuda"), failing_once(monkeypatch, layer.Layer, "run"), pytest.raises(OwnError):
        torch.ones(2, device="cuda")


def test_afterwards_no_error_for_mixed_devices_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulation("cuda", on_failure=lambda _: None):
        on_device = torch.ones(2, device="cuda")
        with failing_once(monkeypatch, moves, "transfer"):
            astray = torch.ones(2).to("cuda")
        assert (on_device + astray).tolist() == [2, 2]
        assert (on_device + torch.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize(
    "refused",
    [
        lambda x: x + torch.ones(2),
        lambda x: x.to("cuda:5"),
        lambda x: x.to("nowhere"),
        lambda x: x.cuda("cuda:x"),
        lambda x: x.pin_memory(),
        lambda x: x.numpy(),
        lambda x: x + torch.ones(3, device="cuda"),
        lambda x: x.reshape(7),
        lambda x: torch.ones(2, device="cuda:x"),
    ],
)
def test_what_the_program_does_wrong_is_no_failure(refused: Callable[[torch.Tensor], object]) -> None:
    failures: list[Exception] = []
    with Simulation("cuda", on_failure=failures.append):
        x = torch.ones(2, device="cuda")
        with pytest.raises((RuntimeError, TypeError)):
            refused(x)
    assert failures == []


def test_a_simulation_that_cannot_begin_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    available = torch.cuda.is_available
    with failing_once(monkeypatch, layer.Layer, "__init__"), pytest.raises(OwnError):
        Simulation("cuda").__enter__()
    assert torch.cuda.is_available is available
    with Simulation("cuda"):
        assert torch.ones(2).cuda().is_cuda
