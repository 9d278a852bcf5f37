"""Simulated devices: a program written for an accelerator runs on the CPU, and its devices are labels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any, Protocol

import torch
from torch._C import _EnableTorchFunction

from devlint.instrumentation.decorating import ContextFactory, Function, decorated
from devlint.instrumentation.fast_path import patch_fast_path
from devlint.instrumentation.hooks import Failed
from devlint.instrumentation.patches import Patches
from devlint.instrumentation.torch_warnings import patch_warnings
from devlint.model.simulated import SIMULATED_TYPES, device_count
from devlint.simulation.calls import handlers
from devlint.simulation.devices import Devices
from devlint.simulation.facades import patch_torch
from devlint.simulation.kernels import Kernels
from devlint.simulation.layer import Before, Layer
from devlint.simulation.program_errors import for_program
from devlint.simulation.reads import READ_ON_THE_HOST
from devlint.simulation.reentry import (
    below_others,
    insert,
    patch_backward,
    patch_saved_tensors,
    patch_threads,
    remove,
)
from devlint.simulation.scope import CallScope

OnMismatch = Callable[[Exception, Any, Sequence[Any], Mapping[str, Any]], bool]
"""Called with an error, and the running torch function with its arguments; returns whether to continue."""
OnHiddenRead = Callable[[str, Any, torch.device], None]
"""Called with the name of a kernel, the running torch function, and the device for which the host waits."""


class Beginning(Before, Protocol):
    """Handles calls before the simulation, and starts and ends with it."""

    def begin(self, devices: Devices, patches: Patches, /) -> None:
        """Start with a simulation. `patches` are undone when it ends."""


class Simulation:
    """A context with `devices` simulated devices of a type: the CPU computes, and devices are labels.

    Values are bit for bit those of the same program on the CPU; random numbers come from the CPU's generator.
    For a mismatch, the error of torch 2.13 with CUDA is raised. The simulation is active in the thread that
    enters it, in threads started inside, and in backward. As a decorator, it is active in each call; for a
    generator or a coroutine, from its first step to its last, including the time in between.

    Args: type: `cuda`, `xpu` or `mps`. devices: the number of devices. on_mismatch: called before an error
        for mixed devices is raised, with the running torch function and its arguments; if it returns True,
        the program continues without the error. on_hidden_read: called for each ATen kernel for which the
        host would wait, because it needs values of the device: a scalar read, or a result whose shape depends
        on the data. Explicit reads of the program are included. on_failure: told where the simulation itself
        fails. The CPU then does what it failed in, no error for mixed devices is raised any more, and the
        program goes on. Without it, the failure is raised. before: handles each call of torch first; it
        starts and ends with the simulation.

    Raises: ValueError: if the type, or so many devices, cannot be simulated. TypeError: if `devices` is not
    an integer.
    """

    def __init__(
        self,
        type: str = "cuda",  # noqa: A002 - torch.device calls it so
        devices: int = 1,
        *,
        on_mismatch: OnMismatch | None = None,
        on_hidden_read: OnHiddenRead | None = None,
        on_failure: Failed | None = None,
        before: Beginning | None = None,
    ) -> None:
        if type not in SIMULATED_TYPES:
            raise ValueError(f"{type!r} cannot be simulated; choose one of {', '.join(SIMULATED_TYPES)}")
        self._type = type
        self._count = device_count(devices)
        self._on_mismatch = on_mismatch
        self._on_hidden_read = on_hidden_read
        self._on_failure = on_failure
        self._has_failed = False
        self._before = before
        self._patches = Patches()
        self._thread = threading.local()
        self._entered_by: int | None = None

    def __enter__(self) -> Simulation:
        """Raises RuntimeError if devices are simulated already."""
        if _Running.simulation is not None:
            raise RuntimeError("devices are simulated already; simulations cannot be nested")
        _Running.simulation = self
        try:
            self._devices = Devices(self._type, self._count)
            self._handlers = handlers()
            scope = CallScope()
            patch_torch(self._patches, self._devices, self._scope, self._refuse)
            patch_fast_path(self._patches)
            patch_warnings(self._patches)
            patch_backward(self._patches, self._layer, self._failed)
            patch_saved_tensors(self._patches, self._layer, self._failed)
            patch_threads(self._patches, self._in_thread, self._failed)
            if self._before is not None:
                self._before.begin(self._devices, self._patches)
            self._enter_thread(scope)
        except BaseException:
            self._leave()
            raise
        self._entered_by = get_ident()
        return self

    def __exit__(self, *_: object) -> None:
        """Raises RuntimeError in another thread than the one that entered it; the simulation then
        continues."""
        if self._entered_by != get_ident():
            raise RuntimeError("the simulation was not entered in this thread")
        self._leave_thread()
        self._leave()

    def __call__(self, function: Function) -> Function:
        """The function, with these devices in each call.

        Raises: TypeError: if it is not a function.
        """
        return decorated(function, ContextFactory("a simulation", whole=self))

    def _leave(self) -> None:
        self._entered_by = None
        _Running.simulation = None
        self._patches.undo()

    def _layer(self) -> Layer | None:
        """The layer of this thread; None if the thread did not enter the simulation, because it existed
        before."""
        return getattr(self._thread, "layer", None)

    def _scope(self) -> CallScope | None:
        layer = self._layer()
        return None if layer is None else layer.scope

    def _enter_thread(self, scope: CallScope) -> None:
        layer = Layer(self._devices, scope, self._refuse, self._handlers, self._failed, self._before)
        kernels = Kernels(
            self._devices, scope, self._refuse, self._read, lambda: _answering(layer), self._failed
        )
        insert(layer)
        kernels.__enter__()  # type: ignore[no-untyped-call]
        self._thread.layer, self._thread.kernels = layer, kernels

    def _leave_thread(self) -> None:
        remove(self._thread.layer)
        self._thread.kernels.__exit__(None, None, None)
        del self._thread.layer, self._thread.kernels

    @contextmanager
    def _in_thread(self) -> Iterator[None]:
        self._enter_thread(CallScope())
        try:
            yield
        finally:
            self._leave_thread()

    def _failed(self, error: Exception) -> None:
        """Stop raising errors for mixed devices after a failure of the simulation, because they may be
        wrong."""
        self._has_failed = True
        if self._on_failure is None:
            raise for_program(error)
        self._on_failure(error)

    def _refuse(self, error: Exception) -> None:
        try:
            if not self._has_failed and not self._goes_on(error):
                raise for_program(error)
        finally:
            del error  # its traceback has this frame, so that both would keep the operands alive

    def _goes_on(self, error: Exception) -> bool:
        if self._on_mismatch is None:
            return False
        layer = self._thread.layer
        scope = layer.scope
        # The callback reads the operands, which must return their simulated devices.
        with _answering(layer):
            return self._on_mismatch(error, scope.function, scope.args, scope.kwargs)

    def _read(self, kernel: str, device: torch.device) -> None:
        function = self._thread.layer.scope.function
        if self._on_hidden_read is not None and function not in READ_ON_THE_HOST:
            try:
                self._on_hidden_read(kernel, function, device)
            except Exception as error:  # an error of a guard
                for_program(error)
                raise


@contextmanager
def _answering(layer: Layer) -> Iterator[None]:
    """Let tensors return their simulated devices, even where torch has disabled function modes."""
    with _EnableTorchFunction(), below_others(layer):
        yield


def running() -> tuple[str, int] | None:
    """The type and number of the simulated devices; None without a simulation."""
    simulation = _Running.simulation
    return None if simulation is None else (simulation._type, simulation._count)


class _Running:
    """The active simulation of this process; there is only one, because it patches torch's modules."""

    simulation: Simulation | None = None
