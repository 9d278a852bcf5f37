"""The GPU trace's interface as torch 2.13 has it, without a GPU: callbacks are fired by hand."""

from __future__ import annotations

import pytest
import torch
from torch.cuda import _gpu_trace

from devlint.instrumentation.patches import Patches
from devlint.runtime.cuda import trace


@pytest.fixture
def activated(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    times: list[bool] = []
    monkeypatch.setattr(torch._C, "_activate_gpu_trace", lambda: times.append(True), raising=False)
    return times


def fire() -> None:
    """What torch does, with the arguments that it gives: handles of streams and events."""
    _gpu_trace.DeviceSynchronizationCallbacks.fire_callbacks()
    _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)
    _gpu_trace.EventSynchronizationCallbacks.fire_callbacks(65552)


def test_it_hears_each_kind_of_synchronization(activated: list[bool]) -> None:
    heard: list[str] = []
    patches = Patches()
    trace.listen(patches, heard.append)
    try:
        fire()
    finally:
        patches.undo()
    assert heard == ["device", "stream", "event"]
    assert activated == [True]


def test_afterwards_it_hears_nothing_and_others_still_do(activated: list[bool]) -> None:
    heard: list[str] = []
    others: list[int] = []
    _gpu_trace.register_callback_for_stream_synchronization(others.append)
    try:
        patches = Patches()
        trace.listen(patches, heard.append)
        patches.undo()
        fire()
    finally:
        _gpu_trace.StreamSynchronizationCallbacks.callback_list.remove(others.append)
    assert (heard, others) == ([], [0])
    assert activated
