"""Torch's GPU trace: a call of Python at each synchronization in C++, on the thread that is about to wait.

The interface is private (`torch.cuda._gpu_trace`, torch 2.1 and later; tested with 2.13). It cannot be
deactivated, but callbacks can be unregistered. Torch logs errors of callbacks and ignores them. Waits inside
Thrust and libraries that torch calls are not reported.

It can change the errors of a program: torch also calls Python at each allocation and release of memory, even
while an error propagates, which then becomes a `SystemError` (`[torch.ones(9, device="cuda"), 1 / 0]`, in
torch 2.13; torch/csrc/PyInterpreter.cpp). Use it only for programs that end without an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._utils import CallbackRegistry
from torch.cuda import _gpu_trace

from devlint.instrumentation.patches import Patches

Heard = Callable[[str], None]
"""Called with what the host waits for: a `device`, a `stream` or an `event`."""

_REGISTRIES: dict[str, CallbackRegistry[Any]] = {
    "device": _gpu_trace.DeviceSynchronizationCallbacks,
    "stream": _gpu_trace.StreamSynchronizationCallbacks,
    "event": _gpu_trace.EventSynchronizationCallbacks,
}


def listen(patches: Patches, heard: Heard) -> None:
    """Observe each synchronization until the patches are undone."""
    for kind, registry in _REGISTRIES.items():
        _register(patches, registry, kind, heard)
    torch._C._activate_gpu_trace()


def _register(patches: Patches, registry: CallbackRegistry[Any], kind: str, heard: Heard) -> None:
    def callback(*_: int) -> None:
        """The arguments are the handle of a stream or an event; none for a device."""
        heard(kind)

    registry.add_callback(callback)
    patches.later(lambda: registry.callback_list.remove(callback))
