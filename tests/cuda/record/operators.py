"""Which calls of torch's operator database make the host wait, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo
from torch.utils._pytree import tree_leaves

from devlint.model import Event, Synchronization
from devlint.runtime.session.session import Session
from tests.cuda.record import waits
from tests.cuda.record.ground import Ground
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part
from tests.runtime.synchronizations import SIMULATED as SIMULATED_DEVICES
from tools.operators.samples import Inputs, entries, fingerprint, inputs_of, placed, seed

FORWARD, BACKWARD = "forward", "backward"
_FEW = 5
"""How many of an operator's calls are asked about where that takes time."""
See = Callable[[waits.Run], str]
"""Gives the letter for a run."""


def _asked(name: str, see: See, most: int | None = None) -> list[Fields]:
    """The letters for an operator's calls, and for the backward passes of some."""
    info = entries()[name]
    calls = inputs_of(info)
    letters = "".join(_letter(see, run) for run in _forward(info, calls[:most]))
    found: list[Fields] = [(fingerprint(calls), FORWARD, letters)]
    if info.supports_autograd:
        calls = inputs_of(info, requires_grad=True)[:_FEW]
        letters = "".join(_letter(see, run) if run else waits.UNTESTED for run in _backward(info, calls))
        found.append((fingerprint(calls), BACKWARD, letters))
    return found


def _letter(see: See, run: waits.Run) -> str:
    try:
        return see(run)
    except Exception:  # whatever an operator raises
        return waits.RAISES


def _forward(info: OpInfo, calls: Sequence[Inputs]) -> Iterator[waits.Run]:
    for call in calls:
        args, kwargs = placed(call, _on_device)
        seed()
        yield partial(info.op, *args, **kwargs)


def _backward(info: OpInfo, calls: Sequence[Inputs]) -> Iterator[waits.Run | None]:
    """The backward passes alone; None where there is none."""
    for call in calls:
        args, kwargs = placed(call, _on_device)
        seed()
        try:
            results = [result for result in tree_leaves(info.op(*args, **kwargs)) if _requires_grad(result)]
            gradients = [torch.ones_like(result) for result in results]
        except Exception:  # whatever an operator raises
            results, gradients = [], []
        yield _pass(results, gradients) if results else None


def _on_device(tensor: torch.Tensor) -> torch.Tensor:
    """The same values as a leaf there: a gradient shall not go back to the host."""
    return tensor.detach().to("cuda").requires_grad_(tensor.requires_grad)


def _pass(results: list[torch.Tensor], gradients: list[torch.Tensor]) -> waits.Run:
    return lambda: torch.autograd.backward(results, gradients, retain_graph=True)


def _requires_grad(result: Any) -> bool:
    return isinstance(result, torch.Tensor) and result.requires_grad


def _forbidden(name: str) -> list[Fields]:
    return _asked(name, lambda run: waits.forbidden(run)[0])


def _traced(name: str) -> list[Fields]:
    def see(run: waits.Run) -> str:
        run()
        return waits.WAITS if waits.traced(run) else waits.GOES_ON

    return _asked(name, see)


def _timed(name: str) -> list[Fields]:
    def see(run: waits.Run) -> str:
        run()
        return waits.WAITS if waits.waited(waits.milliseconds(run)) else waits.GOES_ON

    return _asked(name, see, _FEW)


def _seen_on_simulated_devices(name: str) -> list[Fields]:
    """What a session sees on simulated devices: what devlint knows of operators."""
    session = Session(SIMULATED_DEVICES)
    seen: list[Event] = []
    session.listeners.append(lambda event, _: seen.append(event))

    def see(run: waits.Run) -> str:
        seen.clear()
        run()
        waiting = any(isinstance(event, Synchronization) for event in seen)
        return waits.WAITS if waiting else waits.GOES_ON

    session.start()
    try:
        return _asked(name, see)
    finally:
        session.stop()


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    return list(entries())


PART = Part(
    name="operators",
    shows="whether the host waits in each call of torch's operator database",
    columns=("fingerprint of the calls", "pass", "for each call: w waits, . goes on, r raises, ? not asked"),
    subjects=_subjects,
    observers=(
        Observer("debug mode", _forbidden, workers=6),
        Observer("GPU trace", _traced, workers=6),
        Observer("simulated", _seen_on_simulated_devices, SIMULATED, workers=12),
        Observer("busy device", _timed, (Ground.CUDA,), timed=True),
    ),
    seconds=110,
)
