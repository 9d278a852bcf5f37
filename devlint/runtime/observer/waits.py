"""Waits of the host for the device: predicted from the values of a call, counted when the call has
returned."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from devlint.model import (
    CPU,
    Cause,
    Confidence,
    Kind,
    Operand,
    SiteId,
    Synchronization,
    Transfer,
    is_host,
)
from devlint.rules.wording import code, operator
from devlint.runtime.observer.call import ObservedCall
from devlint.runtime.observer.operands import device_of
from devlint.runtime.observer.wait_conditions import awaited, on_device, wait
from devlint.runtime.policy.active_guards import Permit, ask, watched
from devlint.tensors.provenance import download_of, note_read

READS = frozenset({Cause.HOST_READ, Cause.BRANCH, Cause.ELEMENTWISE})
"""Causes by which Python gets a value, so that reading it again does not wait.

Formatting is not one of them: if a loss is printed and read, the read waits once the print is removed."""


@dataclass(slots=True)
class Wait:
    """A wait that is about to happen."""

    event: Synchronization
    key: tuple[object, ...]
    permit: Permit
    uploads: Operand | None = None
    """What is uploaded implicitly: a number, a list, an index on the host."""


def foresee_wait(call: ObservedCall) -> Wait | None:
    """The wait that a call is about to make; None if there is none, or no guard records it.

    Raises:
        DisallowedError: if a guard does not allow it.
    """
    met = wait(call.bound)
    if met is None or met.cause is None:
        return None
    found = awaited(call.bound, met)
    if found is None:
        shown = None if met.cause is Cause.EXPLICIT else _uploaded(call)
        already = False
    else:
        place, tensor = found
        shown = call.operand(place, tensor)
        already = met.cause in READS and note_read(tensor)
    cause = met.cause if call.backward is None or met.cause is Cause.EXPLICIT else Cause.BACKWARD
    event = Synchronization(call.site, None, Confidence.SEEN, call.name, cause, shown, waited_already=already)
    seen = _asked(event)
    if met.cause is Cause.UPLOAD:
        seen.uploads = _uploaded(call)
    return seen


def foresee_hidden(site: SiteId, name: str, device: torch.device, *, backward: bool = False) -> Wait:
    """A wait inside an operator or in backward, where only kernels are observed. `backward` need not be
    passed while torch's engine runs on this thread.

    Raises:
        DisallowedError: if a guard does not allow it.
    """
    if backward or torch._C._current_autograd_node() is not None:
        cause = Cause.BACKWARD
    else:
        cause = Cause.EXPLICIT if name.endswith(".synchronize") else Cause.HIDDEN_READ
    shown = Operand(path="", site=site, device=device_of(device))
    return _asked(Synchronization(site, None, Confidence.SEEN, name, cause, shown))


def note_early_read(call: ObservedCall) -> None:
    """Counts a read of an asynchronous copy to the host, without a wait in between."""
    tensor = call.bound.first
    if not isinstance(tensor, torch.Tensor) or not is_host(device_of(tensor)):
        return
    download = download_of(tensor)
    if download is None or download.waits != call.progress.waits:
        return
    shown = Operand(path="", site=download.site, device=download.source, kind=Kind.TENSOR)

    def event() -> Transfer:
        return Transfer(
            download.site,
            None,
            Confidence.SEEN,
            "torch.Tensor.to",
            shown,
            download.source,
            CPU,
            non_blocking=True,
            used_before_wait=call.site,
        )

    watched().count((download.site, "read early", call.site), event)


def _uploaded(call: ObservedCall) -> Operand:
    """The implicitly uploaded operand: a host tensor, else the argument with the numbers."""
    host = ((place, tensor) for _, place, tensor in call.bound.tensors() if not on_device(tensor))
    found = next(host, None)
    if found is not None:
        return call.operand(*found)
    names = [name for name in _NUMBERS if name in call.bound.values] or list(call.bound.values)[:1]
    name = next(iter(names), "")
    return Operand(call.called.get(name, name), call.site, CPU, Kind.SCALAR, parameter=name)


_NUMBERS = ("value", "indices", "data", "obj")
"""Arguments with Python numbers that an operator uploads."""


def _asked(event: Synchronization) -> Wait:
    key = (
        event.site,
        "wait",
        event.operator,
        event.cause,
        event.operand.device if event.operand is not None else None,
        event.waited_already,
    )
    permit = ask("sync", event.site, key, lambda: event, lambda: _sentence(event))
    return Wait(event, key, permit)


def _sentence(event: Synchronization) -> str:
    operand = event.operand
    waits = f"{operator(event.operator)} makes the host wait"
    if operand is None:
        return waits
    named = f"{code(operand.path)} on " if operand.path else ""
    return f"{waits} for {named}{operand.device}"
