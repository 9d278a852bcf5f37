"""Torch's GPU trace: a call of Python at each synchronization in C++, on the thread that is about to wait.

The interface is private (`torch.cuda._gpu_trace`, torch 2.1 and later; seen with 2.13). Once activated it
cannot be deactivated; what is registered can be taken out again. What a callback raises, torch logs and
forgets. It is not told of waits inside Thrust and the libraries that torch calls.

It can change what a program raises: torch calls Python at each allocation and release of memory too, also
while an error is on its way, which then becomes a `SystemError` (`[torch.ones(9, device="cuda"), 1 / 0]`, in
torch 2.13; torch/csrc/PyInterpreter.cpp). So it is for programs that end well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._utils import CallbackRegistry
from torch.cuda import _gpu_trace

from devlint.instrumentation.patches import Patches

Heard = Callable[[str], None]
"""Is told what the host waits for: a `device`, a `stream` or an `event`."""

_REGISTRIES: dict[str, CallbackRegistry[Any]] = {
    "device": _gpu_trace.DeviceSynchronizationCallbacks,
    "stream": _gpu_trace.StreamSynchronizationCallbacks,
    "event": _gpu_trace.EventSynchronizationCallbacks,
}


def listen(patches: Patches, heard: Heard) -> None:
    """Hear of each synchronization until the patches are undone."""
    for kind, registry in _REGISTRIES.items():
        _register(patches, registry, kind, heard)
    torch._C._activate_gpu_trace()


def _register(patches: Patches, registry: CallbackRegistry[Any], kind: str, heard: Heard) -> None:
    def callback(*_: int) -> None:
        """A stream and an event come with their handle, a device with nothing."""
        heard(kind)

    registry.add_callback(callback)
    patches.later(lambda: registry.callback_list.remove(callback))
