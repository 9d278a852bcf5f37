"""Waits that torch makes in C++, told to the observer of the place that they belong to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import torch

from devlint.runtime.blind_spots.spots import observer_here
from devlint.runtime.cuda import sync_debug, trace
from devlint.runtime.frames import user_frame
from devlint.runtime.observer import Observer
from devlint.runtime.observer.rows import operator_names
from devlint.runtime.patches import Patches

_HANDLER = Observer.__torch_function__.__code__
_BY_KIND = {
    "device": "torch.cuda.synchronize",
    "stream": "torch.Stream.synchronize",
    "event": "torch.Event.synchronize",
}
"""What waits where no function that a mode sees is around."""


def listen(patches: Patches, failed: Callable[[Exception], None]) -> None:
    """Tell observers of hidden waits until the patches are undone; `failed`, of devlint's own errors."""

    def heard(kind: str) -> None:
        try:
            # On a thread of the engine's an observer is on, and would take part in what is done here.
            with torch._C.DisableTorchFunction():
                tell(kind, torch.device("cuda", torch.cuda.current_device()), sys._getframe(1))
        except Exception as error:  # devlint's own: torch would log it at every wait
            failed(error)

    source = trace if hasattr(torch._C, "_activate_gpu_trace") else sync_debug
    source.listen(patches, heard)


def tell(kind: str, device: torch.device, frame: FrameType) -> None:
    """Tell the observer, if there is one, of a wait inside the call that `frame` was called from."""
    call = _call_around(frame)
    if call is not None:
        observer, function = call
        observer.late_wait(operator_names().get(function, _name(function)), device, measured=True)
        return
    here = observer_here()
    if here is not None:
        node = torch._C._current_autograd_node()
        here.late_wait(_BY_KIND[kind] if node is None else node.name(), device, measured=False)


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


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", function))
