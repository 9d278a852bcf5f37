"""Waits of torch in C++, reported to the observer of the calling place.

Torch reports them in two ways. Each can disturb a program, so they are only used if the environment variable
`DEVLINT_HIDDEN_WAITS` selects one: `debug` (see `sync_debug`) or `trace` (see `trace`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from sys import _getframe
from types import FrameType

import torch

from devlint.instrumentation.patches import Patches
from devlint.runtime.cuda import sync_debug, trace
from devlint.runtime.observer import Observer, observer_here
from devlint.runtime.observer.backward import BackwardObserver
from devlint.runtime.observer.functions import name_of
from devlint.runtime.places.frames import user_frame
from devlint.runtime.policy.settings import HIDDEN_WAITS, HIDDEN_WAITS_SOURCES

_SOURCES = dict(zip(HIDDEN_WAITS_SOURCES, (sync_debug.listen, trace.listen), strict=True))
_HANDLER = Observer.__torch_function__.__code__
_BY_KIND = {
    "device": "torch.cuda.synchronize",
    "stream": "torch.Stream.synchronize",
    "event": "torch.Event.synchronize",
}
"""The name of the waiting function, if no mode gets the call around it."""
_BACKWARD = "torch.autograd.backward"


def listen(patches: Patches, failed: Callable[[Exception], None]) -> None:
    """Report hidden waits to observers, and internal errors to `failed`, until the patches are undone.

    Raises: ValueError: if the environment variable has another value.
    """
    wanted = os.environ.get(HIDDEN_WAITS)
    if not wanted:
        return
    if wanted not in _SOURCES:
        raise ValueError(f"{HIDDEN_WAITS}={wanted!r}: choose from {', '.join(_SOURCES)}")

    def heard(kind: str) -> None:
        try:
            # In a thread of the engine an observer is on, and would observe this code.
            with torch._C.DisableTorchFunction():
                tell(kind, torch.device("cuda", torch.cuda.current_device()), _getframe(1))
        except Exception as error:  # an internal error, which torch would log at every wait
            failed(error)

    _SOURCES[wanted](patches, heard)


def tell(kind: str, device: torch.device, frame: FrameType) -> None:
    """Report a wait inside the call that called `frame` to the observer, if there is one."""
    here = observer_here()
    if here is not None:
        here.late_wait(_unseen(kind, here), device, measured=False)
        return
    call = _call_around(frame)
    if call is not None:
        observer, function = call
        observer.late_wait(name_of(function) or _shown(function), device, measured=True)


def _unseen(kind: str, here: Observer) -> str:
    """The name of the waiting function, if the observer is on because it handles no call."""
    if not isinstance(here, BackwardObserver):
        return _BY_KIND[kind]
    node = torch._C._current_autograd_node()
    return _BACKWARD if node is None else str(node.name())


def _call_around(frame: FrameType | None) -> tuple[Observer, object] | None:
    """The observer that handles a call of torch in this thread, and the function; None without one.

    Torch removes it from the stack of modes while it handles a call.
    """
    user = user_frame(frame)
    while frame is not None and frame is not user:
        if frame.f_code is _HANDLER:
            values = frame.f_locals
            return values["self"], values["func"]
        frame = frame.f_back
    return None


def _shown(function: object) -> str:
    return str(getattr(function, "__qualname__", function))
