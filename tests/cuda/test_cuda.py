"""On a real CUDA device: torch raises, devlint explains; waits are seen, measured and put at their lines."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from typing import Any

import pytest
import torch

import devlint
from devlint.model import Cause, Synchronization, Transfer
from devlint.runtime.api.guard import Guard
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.session.observation import shared

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
]


def waits(guard: Guard) -> list[tuple[Synchronization, Tally]]:
    return [(tally.event, tally) for tally in guard.tallies() if isinstance(tally.event, Synchronization)]


def copies(guard: Guard) -> list[tuple[Transfer, Tally]]:
    return [(tally.event, tally) for tally in guard.tallies() if isinstance(tally.event, Transfer)]


def line_of(event: Synchronization | Transfer) -> int:
    return shared().sites.site(event.site).line


def line() -> int:
    return sys._getframe(1).f_lineno


def test_a_mismatch_keeps_torch_s_words_and_is_explained() -> None:
    x = torch.ones(3, device="cuda")
    with devlint.guard() as guard:
        y = torch.ones(3)
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device") as raised:
            x + y
    notes = "\n".join(getattr(raised.value, "__notes__", ()))
    assert "devlint: DL102" in notes
    assert "`y` is on cpu" in notes
    assert [finding.code for finding in guard.findings] == ["DL102"]


def test_a_foreseen_wait_is_one_wait_and_measured() -> None:
    x = torch.ones(3, device="cuda")
    with devlint.guard() as guard:
        x.sum().item()
        here = line() - 1
    ((event, tally),) = waits(guard)
    assert (event.operator, event.cause, line_of(event)) == ("torch.Tensor.item", Cause.HOST_READ, here)
    assert tally.count == 1
    assert tally.seconds is not None


@pytest.fixture
def debug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVLINT_HIDDEN_WAITS", "debug")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # pytest's own does not ask this one


@pytest.mark.usefixtures("debug")
def test_a_wait_hidden_in_c_is_at_the_line_that_called() -> None:
    x, scale = torch.ones(3, device="cuda"), torch.ones((), device="cuda")
    with devlint.guard() as guard:
        torch.add(x, x, alpha=scale)  # type: ignore[call-overload]
        here = line() - 1
    ((event, tally),) = waits(guard)
    assert (event.operator, event.cause, line_of(event)) == ("torch.add", Cause.HIDDEN_READ, here)
    assert tally.seconds is not None


@pytest.mark.usefixtures("debug")
def test_a_hidden_wait_can_be_forbidden() -> None:
    x, scale = torch.ones(3, device="cuda"), torch.ones((), device="cuda")
    with devlint.guard(sync="disallow"), pytest.raises(devlint.DisallowedError, match=r"`torch\.add`"):
        torch.add(x, x, alpha=scale)  # type: ignore[call-overload]


@pytest.mark.usefixtures("debug")
def test_a_wait_in_backward_is_at_the_line_that_started_it() -> None:
    leaf = torch.ones(4, device="cuda", requires_grad=True)
    loss = leaf.prod()
    with devlint.guard() as guard:
        torch.autograd.backward(loss)
        here = line() - 1
    ((event, _),) = waits(guard)
    assert (event.cause, line_of(event)) == (Cause.BACKWARD, here)


class Reads(torch.autograd.Function):
    """Backward reads a value, where devlint foresees it."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:  # noqa: ARG004
        return value * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # noqa: ARG004
        return gradient * gradient.sum().item()


@pytest.mark.usefixtures("debug")
def test_a_wait_in_backward_that_was_foreseen_is_one_wait() -> None:
    leaf = torch.ones(4, device="cuda", requires_grad=True)
    loss = Reads.apply(leaf).prod()  # type: ignore[no-untyped-call]
    with devlint.guard() as guard:
        loss.backward()
        here = line() - 1
    seen = sorted((line_of(event), tally.count) for event, tally in waits(guard))
    assert seen == [(READ_IN_BACKWARD, 1), (here, 1)]


READ_IN_BACKWARD = Reads.backward.__code__.co_firstlineno + 2


@pytest.mark.usefixtures("debug")
def test_a_wait_in_backward_can_be_forbidden() -> None:
    loss = torch.ones(4, device="cuda", requires_grad=True).prod()
    with devlint.guard(sync="disallow"), pytest.raises(devlint.DisallowedError):
        torch.autograd.backward(loss)


TRACED = """
import torch, devlint

leaf = torch.ones(4, device="cuda", requires_grad=True)
scale = torch.ones((), device="cuda")
loss = leaf.prod()
event = torch.Event(device="cuda")
event.record()
with devlint.guard() as guard:
    torch.add(leaf, leaf, alpha=scale)
    loss.backward()
    event.synchronize()
    leaf.sum().item()
for tally in guard.tallies():
    if hasattr(tally.event, "cause"):
        print(tally.event.operator, tally.event.cause.name, tally.count)
"""


def test_the_trace_hears_of_the_engine_s_threads_too() -> None:
    """In a process of its own, because the trace cannot be switched off again."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED],
        env={**os.environ, "DEVLINT_HIDDEN_WAITS": "trace"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "torch.add HIDDEN_READ 1",
        "ProdBackward0 BACKWARD 1",
        "torch.Event.synchronize EXPLICIT 1",
        "torch.Tensor.item HOST_READ 1",
    ], done.stderr


@pytest.mark.parametrize("ask", ["device", "stream", "event"])
def test_waits_that_are_asked_for(ask: str) -> None:
    stream = torch.cuda.current_stream()
    event = torch.cuda.Event()  # type: ignore[no-untyped-call]
    event.record()
    with devlint.guard() as guard:
        if ask == "device":
            torch.cuda.synchronize()
        elif ask == "stream":
            stream.synchronize()
        else:
            event.synchronize()
    ((seen, _),) = waits(guard)
    assert seen.cause is Cause.EXPLICIT


def test_copies_have_their_bytes_and_their_time() -> None:
    host = torch.ones(256)
    with devlint.guard() as guard:
        device = host.to("cuda")
        device.cpu()
    (up, up_tally), (down, down_tally) = copies(guard)
    assert (str(up.target), up_tally.bytes) == ("cuda", 1024)
    assert (str(down.source), down_tally.bytes) == ("cuda:0", 1024)
    assert up_tally.seconds is not None
    assert down_tally.seconds is not None


def test_an_asynchronous_copy_waits_for_nothing() -> None:
    host = torch.ones(256).pin_memory()
    with devlint.guard() as guard:
        host.to("cuda", non_blocking=True)
    assert waits(guard) == []


def test_a_clean_loop_has_no_findings() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    batch = torch.ones(4, 8, device="cuda")
    model(batch).sum().backward()  # handles of libraries are made here
    with devlint.guard() as guard:
        for _ in range(20):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
    assert guard.findings == []
    assert waits(guard) == []


@pytest.mark.usefixtures("debug")
def test_afterwards_torch_is_as_it_was() -> None:
    filters = list(warnings.filters)
    with devlint.guard():
        assert torch.cuda.get_sync_debug_mode() == 1
    assert torch.cuda.get_sync_debug_mode() == 0
    assert warnings.filters == filters
