"""Waits in C++ belong to the line that called. Here the CPU's `apply_` calls Python back from inside C++."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.cuda import _gpu_trace

import devlint
from devlint.instrumentation.patches import Patches
from devlint.model import Cause, Synchronization
from devlint.runtime.api.guard import Guard
from devlint.runtime.cuda import hidden
from devlint.runtime.policy.settings import HIDDEN_WAITS
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.session import observation
from devlint.runtime.session.observation import shared

SOURCE = """
def wait(value=0.0):
    registry.fire_callbacks(0)
    return value
"""
"""Generated code, whose lines are nobody's: as torch's own are not."""


def _generated() -> Callable[..., float]:
    names: dict[str, Any] = {"registry": _gpu_trace.StreamSynchronizationCallbacks}
    exec(compile(SOURCE, "<torch>", "exec"), names)
    found: Callable[..., float] = names["wait"]
    return found


wait = _generated()
"""Does what torch does when the host is about to wait for a stream."""


@pytest.fixture(autouse=True)
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(torch._C, "_activate_gpu_trace", lambda: None, raising=False)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    monkeypatch.setenv(HIDDEN_WAITS, "trace")
    monkeypatch.setattr(observation, "_has_device", lambda: False)  # it would listen too
    failures: list[Exception] = []
    patches = Patches()
    hidden.listen(patches, failures.append)
    yield
    patches.undo()
    assert failures == []


def waits(guard: Guard) -> list[tuple[str, Cause, int]]:
    """Operator, cause and line of each wait."""
    return [
        (event.operator, event.cause, shared().sites.site(event.site).line)
        for tally in guard.tallies()
        if isinstance(event := tally.event, Synchronization)
    ]


def line() -> int:
    return sys._getframe(1).f_lineno


def only(guard: Guard) -> Tally:
    (tally,) = guard.tallies()
    return tally


def test_a_wait_inside_a_call_is_that_call_and_measured() -> None:
    x = torch.ones(2)
    with devlint.guard() as guard:
        x.apply_(wait)
        here = line() - 1
    assert waits(guard) == [("torch.Tensor.apply_", Cause.HIDDEN_READ, here)]
    tally = only(guard)
    assert (tally.count, tally.seconds is not None) == (2, True)
    assert isinstance(tally.event, Synchronization)
    assert str(tally.event.operand and tally.event.operand.device) == "cuda:1"


def test_where_it_may_not_wait_the_call_raises_when_it_has_returned() -> None:
    x = torch.ones(1)
    refused = pytest.raises(
        devlint.DisallowedError, match=r"`torch\.Tensor\.apply_` makes the host wait for cuda:1"
    )
    with devlint.guard(sync="disallow") as guard:
        with refused:
            x.apply_(wait)
        x.add_(1)
    assert x.item() == 2
    assert only(guard).count == 1


def test_where_it_may_wait_nothing_is_said() -> None:
    with devlint.guard() as guard, devlint.allow("sync"):
        torch.ones(1).apply_(wait)
    assert waits(guard) == []


def test_a_wait_that_no_function_is_around_is_asked_for() -> None:
    with devlint.guard() as guard:
        _gpu_trace.EventSynchronizationCallbacks.fire_callbacks(65552)
        here = line() - 1
    assert waits(guard) == [("torch.Event.synchronize", Cause.EXPLICIT, here)]


def test_where_nobody_observes_nobody_is_told() -> None:
    with devlint.guard() as guard:
        pass
    wait()
    torch.ones(1).apply_(wait)
    assert waits(guard) == []


def test_a_thread_of_the_program_has_its_own_line() -> None:
    x = torch.ones(1)
    with devlint.guard() as guard:
        thread = threading.Thread(target=lambda: x.apply_(wait))
        here = line() - 1
        thread.start()
        thread.join()
    assert waits(guard) == [("torch.Tensor.apply_", Cause.HIDDEN_READ, here)]


class Waits(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:  # noqa: ARG004
        return value * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # noqa: ARG004
        wait()
        return gradient


def doubled(value: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = Waits.apply(value)  # type: ignore[no-untyped-call]
    return result


def test_backward_is_at_the_line_that_started_it() -> None:
    loss = doubled(torch.ones(2, requires_grad=True)).sum()
    with devlint.guard() as guard:
        torch.autograd.backward(loss)
        here = line() - 1
    assert waits(guard) == [("WaitsBackward", Cause.BACKWARD, here)]
    assert only(guard).seconds is None


def test_nobody_listens_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(_gpu_trace.StreamSynchronizationCallbacks.callback_list)
    monkeypatch.delenv(HIDDEN_WAITS)
    hidden.listen(Patches(), print)
    assert before == _gpu_trace.StreamSynchronizationCallbacks.callback_list


def test_a_source_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HIDDEN_WAITS, "profiler")
    with pytest.raises(ValueError, match="DEVLINT_HIDDEN_WAITS='profiler': choose from debug, trace"):
        hidden.listen(Patches(), print)


def test_backward_raises_at_the_line_that_started_it() -> None:
    loss = doubled(torch.ones(2, requires_grad=True)).sum()
    with devlint.guard(sync="disallow"), pytest.raises(devlint.DisallowedError, match="`WaitsBackward`"):
        torch.autograd.backward(loss)
