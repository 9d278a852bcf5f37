"""Waits that torch makes in C++, told to the observer of the place that they belong to.

Torch tells of them in two ways, and each can disturb a program, so nobody listens unless the environment
variable `DEVLINT_HIDDEN_WAITS` says which way: `debug` (see `sync_debug`) or `trace` (see `trace`).
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
"""What waits where no function that a mode sees is around."""
_BACKWARD = "torch.autograd.backward"


def listen(patches: Patches, failed: Callable[[Exception], None]) -> None:
    """Tell observers of hidden waits until the patches are undone; `failed`, of devlint's own errors.

    Raises:
        ValueError: the environment variable names no source.
    """
    wanted = os.environ.get(HIDDEN_WAITS)
    if not wanted:
        return
    if wanted not in _SOURCES:
        raise ValueError(f"{HIDDEN_WAITS}={wanted!r}: there are {', '.join(_SOURCES)}")

    def heard(kind: str) -> None:
        try:
            # On a thread of the engine's an observer is on, and would take part in what is done here.
            with torch._C.DisableTorchFunction():
                tell(kind, torch.device("cuda", torch.cuda.current_device()), _getframe(1))
        except Exception as error:  # devlint's own: torch would log it at every wait
            failed(error)

    _SOURCES[wanted](patches, heard)


def tell(kind: str, device: torch.device, frame: FrameType) -> None:
    """Tell the observer, if there is one, of a wait inside the call that `frame` was called from."""
    here = observer_here()
    if here is not None:
        here.late_wait(_unseen(kind, here), device, measured=False)
        return
    call = _call_around(frame)
    if call is not None:
        observer, function = call
        observer.late_wait(name_of(function) or _shown(function), device, measured=True)


def _unseen(kind: str, here: Observer) -> str:
    """What waits where the observer is on, because it handles no call."""
    if not isinstance(here, BackwardObserver):
        return _BY_KIND[kind]
    node = torch._C._current_autograd_node()
    return _BACKWARD if node is None else str(node.name())


def _call_around(frame: FrameType | None) -> tuple[Observer, object] | None:
    """The observer that handles a call of torch, and the function; None where none does on this thread.

    While it handles a call, torch keeps it off the stack of modes.
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
