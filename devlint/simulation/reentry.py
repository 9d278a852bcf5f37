"""Continuing the simulation where torch disables function modes: in backward and in new threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import overrides
from torch._C import _len_torch_function_stack
from torch.autograd import graph
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext

from devlint.instrumentation.hooks import Failed, Leave, entered, hooked
from devlint.instrumentation.patches import Patches
from devlint.simulation.gradients import placed_gradients
from devlint.simulation.layer import Layer
from devlint.simulation.program_errors import is_for_program

_STACK: Any = overrides
"""Torch's stack of function modes, which has no types."""
Hook = Callable[[Any], Any]
InThread = Callable[[], AbstractContextManager[object]]
"""Creates the simulation's modes for a new thread."""


@contextmanager
def below_others(mode: TorchFunctionMode) -> Iterator[None]:
    """Enable a mode once, below those of others, so that these handle a call first."""
    if any(other is mode for other in _STACK._get_current_function_mode_stack()):
        yield
        return
    insert(mode)
    try:
        yield
    finally:
        remove(mode)


def insert(mode: TorchFunctionMode) -> None:
    """Insert a mode into the stack, below those of others and above that of the default device."""
    others = [_STACK._pop_mode() for _ in range(_len_torch_function_stack())]
    if others and isinstance(others[-1], DeviceContext):
        _STACK._push_mode(others.pop())
    _STACK._push_mode(mode)
    for other in reversed(others):
        _STACK._push_mode(other)


def remove(mode: TorchFunctionMode) -> None:
    """Remove a mode from the stack, at any position."""
    others = [_STACK._pop_mode() for _ in range(_len_torch_function_stack())]
    for other in reversed(others):
        if other is not mode:
            _STACK._push_mode(other)


def patch_backward(patches: Patches, layer: Callable[[], Layer | None], failed: Failed) -> None:
    """Simulate devices in hooks and custom functions of backward.

    `backward` is itself a torch function, so torch has disabled all modes while the engine runs. `failed` is
    called with errors of devlint itself.
    """
    run = graph._engine_run_backward

    def run_backward(outputs: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            mode = layer()
            if mode is not None:
                with below_others(mode):
                    gradients = placed_gradients(mode, outputs, gradients)
        except Exception as error:
            if is_for_program(error):
                raise
            failed(error)
            mode = None
        with nullcontext() if mode is None else below_others(mode):
            return run(outputs, gradients, *args, **kwargs)

    for module in (graph, torch.autograd):
        patches.replace(module, "_engine_run_backward", run_backward)


def patch_saved_tensors(patches: Patches, layer: Callable[[], Layer | None], failed: Failed) -> None:
    """Simulate devices in hooks that pack tensors for backward, which torch calls inside of calls."""
    push = torch._C._autograd._push_saved_tensors_default_hooks

    def begin(_: Any) -> Leave | None:
        mode = layer()
        return None if mode is None else entered(below_others(mode))

    inside = hooked(begin, failed)

    def push_hooks(pack: Hook, unpack: Hook) -> None:
        push(inside(pack), inside(unpack))

    patches.replace(torch._C._autograd, "_push_saved_tensors_default_hooks", push_hooks)


def patch_threads(patches: Patches, in_thread: InThread, failed: Failed) -> None:
    """Enter the simulation in each thread that is started while it is active."""
    # It runs also where `run` is overridden.
    patches.wrap(threading.Thread, "_bootstrap_inner", hooked(lambda _: entered(in_thread()), failed))
