"""Tests that compiled code runs unchanged under observation, and of what the report says about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devlint
from devlint.instrumentation.mode_stack import modes
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session import observation
from devlint.runtime.session.session import Session

pytest.importorskip("torch._dynamo")
from torch._dynamo.utils import counters

ARRAY = np.ones(4, dtype="float32")


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(8, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(self.head(x)).sum()  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def from_nought() -> Iterator[None]:
    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()


def compiled(code: Any) -> Any:
    return torch.compile(code, backend="aot_eager")


def function(x: torch.Tensor) -> torch.Tensor:
    return x.relu() * 2 + torch.from_numpy(ARRAY).sum()


def a_function() -> None:
    fast = compiled(function)
    for _ in range(3):
        fast(torch.ones(4))


def a_module_in_training() -> None:
    network = Network()
    fast = compiled(network)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        fast(torch.ones(2, 3, 8)).backward()
        optimizer.step()


def a_module_in_evaluation() -> None:
    fast = compiled(Network().eval())
    with torch.no_grad():
        for _ in range(3):
            fast(torch.ones(2, 3, 8))


def a_module_that_compiles_itself() -> None:
    network = Network()
    network.compile(backend="aot_eager")
    for _ in range(3):
        network(torch.ones(2, 3, 8)).backward()


def a_graph_break() -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        torch._dynamo.graph_break()
        return y.relu()

    fast = compiled(broken)
    for _ in range(3):
        fast(torch.ones(4))


PROGRAMS = (
    a_function,
    a_module_in_training,
    a_module_in_evaluation,
    a_module_that_compiles_itself,
    a_graph_break,
)


def compilations(program: Callable[[], None], around: AbstractContextManager[Any]) -> dict[str, Any]:
    """The counters of Dynamo after a program."""
    torch._dynamo.reset()
    counters.clear()
    with around:
        program()
    return {name: dict(counters[name]) for name in ("frames", "stats", "unimplemented", "graph_break")}


@pytest.mark.parametrize("watched", [devlint.guard, devlint.simulate])
def test_layers_that_ask_for_overrides_can_be_scripted(watched: Callable[[], Any]) -> None:
    with watched():
        for _ in range(2):
            layer = torch.jit.script(nn.TransformerEncoderLayer(4, 1, 4, dropout=0.0))
            assert layer(torch.ones(1, 1, 4)).shape == (1, 1, 4)


@pytest.mark.parametrize("program", PROGRAMS)
def test_dynamo_compiles_what_it_compiles_without_devlint(program: Callable[[], None]) -> None:
    bare = compilations(program, nullcontext())
    assert bare["frames"]["ok"] > 0
    assert compilations(program, devlint.guard()) == bare


def test_code_compiled_before_is_not_compiled_anew() -> None:
    fast = compiled(function)
    fast(torch.ones(4))
    frames = counters["frames"]["ok"]
    with devlint.guard():
        fast(torch.ones(4))
    fast(torch.ones(4))
    assert counters["frames"]["ok"] == frames


def test_the_report_says_what_was_not_looked_into() -> None:
    fast, network = compiled(function), compiled(Network())
    with devlint.guard():
        fast(torch.ones(4))
        fast(torch.ones(4))
        network(torch.ones(2, 3, 8))
    assert observation.shared().remarks == [
        "2 calls of compiled `function` were not observed; `devlint run --no-compile` observes them",
        "1 call of compiled `Network.forward` was not observed; `devlint run --no-compile` observes it",
    ]


def test_what_comes_after_compiled_code_is_seen() -> None:
    fast = compiled(function)
    with devlint.simulate("cuda"), devlint.guard() as guard:
        fast(torch.ones(4))
        for _ in range(10):
            torch.ones(3, device="cuda").sum().item()
    assert [finding.code for finding in guard.findings] == ["DL201"]


def test_an_error_in_compiled_code_leaves_the_observer_on() -> None:
    @compiled
    def failing(x: torch.Tensor) -> torch.Tensor:
        return x @ torch.ones(5)

    with devlint.guard():
        before = modes()
        with pytest.raises(RuntimeError):
            failing(torch.ones(4))
        assert modes() == before


@pytest.mark.parametrize("before", [True, False])
def test_without_compilation_everything_is_seen(before: bool) -> None:
    fast = compiled(function) if before else None
    session = Session(RunSettings(compiles=False))
    session.start()
    try:
        (fast or compiled(function))(torch.ones(4))
        assert counters["frames"]["ok"] == 0
    finally:
        session.stop()
    assert session.remarks == []
    (fast or compiled(function))(torch.ones(4))
    assert counters["frames"]["ok"] == 1


def test_a_trace_records_what_it_records_without_devlint() -> None:
    def moved(x: torch.Tensor) -> torch.Tensor:
        return x.to(torch.float64).to("cpu") + torch.ones(4)

    def graph() -> str:
        return str(torch.jit.trace(moved, torch.ones(4)).graph)  # type: ignore[no-untyped-call]

    bare = graph()
    with devlint.guard():
        assert graph() == bare


def test_calls_of_scripted_modules_are_said_to_be_unseen() -> None:
    scripted = torch.jit.trace(nn.Linear(2, 2), torch.ones(2))  # type: ignore[no-untyped-call]
    with devlint.guard():
        scripted(torch.ones(2))
        scripted(torch.ones(2))
    assert observation.shared().remarks == ["2 calls of scripted `Linear` were not observed"]
