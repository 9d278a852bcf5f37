"""The mode that gets torch's functions: device arguments become labels, and tensors return them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device as default_device
from torch.utils._device import _device_constructors as constructors  # torch's own list

from devlint.instrumentation.hooks import Failed
from devlint.instrumentation.mode_stack import by_class
from devlint.simulation import errors
from devlint.simulation.devices import HOST, Devices
from devlint.simulation.direct import NOT_DONE, PASSIVE, DirectFunctions
from devlint.simulation.fallback import on_host
from devlint.simulation.generators import device_of
from devlint.simulation.labels import mark_pinned
from devlint.simulation.program_errors import is_for_program
from devlint.simulation.scope import INHERIT, Asked, CallScope, first_label

Handler = Callable[["Layer", Any, tuple[Any, ...], dict[str, Any]], Any]
"""Does what a function would do on the simulated device. Gets the layer, the function and its arguments."""


class Before(Protocol):
    """Handles each call before the layer simulates it, and makes the layer do so."""

    def handle(self, layer: Layer, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> Any:
        """Call `layer.run` with the function, and the arguments to use."""


class Layer(TorchFunctionMode):
    """Handles the calls of one thread."""

    def __init__(
        self,
        devices: Devices,
        scope: CallScope,
        refuse: Callable[[Exception], None],
        handlers: dict[Any, Handler],
        failed: Failed,
        before: Before | None = None,
    ) -> None:
        """`failed` is called with errors of devlint itself, which the program does not get."""
        super().__init__()
        self.devices = devices
        self.scope = scope
        self._refuse = refuse
        self._handlers = handlers
        self._direct = DirectFunctions(handlers)
        self.failed = failed
        self._before = before

    @property
    def has_before(self) -> bool:
        """Whether something handles calls first."""
        return self._before is not None

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        for kind in types:
            if not issubclass(kind, torch.Tensor):
                with self:
                    return by_class(func, types, args, kwargs or {})
        if func in PASSIVE:
            return func(*args, **kwargs) if kwargs else func(*args)
        try:
            if self._before is not None:
                return self._before.handle(self, func, args, kwargs or {})
            return self.run(func, args, kwargs or {})
        except Exception as error:
            return self._instead(error, func, args, kwargs or {})

    def _instead(self, error: Exception, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call that the layer has not made. If the CPU has to compute it, the layer has
        failed."""
        try:
            if not is_for_program(error):
                with suppress(Exception):
                    result = on_host(self.devices, func, args, kwargs)
                    self.failed(error)
                    return result
        except Exception as failure:
            self.failed(failure)
        try:
            raise error
        finally:
            del error  # its traceback has this frame: together they would keep the operands

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what a function would do on the simulated device."""
        known = self._direct[func]
        if known is not None:
            result = known.run(func, args, kwargs, self.failed)
            if result is not NOT_DONE:
                return result
        handler = self._handlers.get(func)
        if handler is not None:
            return handler(self, func, args, kwargs)
        if "device" in kwargs or "pin_memory" in kwargs or func in constructors():
            return self.place(func, args, kwargs)
        if "generator" in kwargs:
            self.check_generator(func, args, kwargs, INHERIT)
        return self.scope.run(func, args, kwargs)

    def place(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function that takes a device with the real device."""
        asked, real = self.asked(func, kwargs)
        self.check_generator(func, args, kwargs, asked)
        pinned = real.pop("pin_memory", False)
        result = self.scope.run(func, args, real, asked)
        if pinned:
            mark_pinned(result)
        return result

    def asked(self, func: Any, kwargs: dict[str, Any]) -> tuple[Asked, dict[str, Any]]:
        """The label that a call requests, and its keywords with the real device.

        Raises: torch.AcceleratorError: if there is no device with the index.
        """
        kwargs = dict(kwargs)
        device = kwargs.get("device")
        if device is None and func in constructors():
            device = default_device.CURRENT_DEVICE
        if device is None:
            return (None if func in constructors() else INHERIT), kwargs
        place = self.devices.place(device)
        return self.devices.label(place), kwargs | {"device": self.devices.real(place)}

    def check_generator(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], asked: Asked) -> None:
        """Check that a generator has the device type of the result."""
        generator = kwargs.get("generator")
        if not isinstance(generator, torch._C.Generator):
            return
        label = first_label((*args, *kwargs.values())) if asked is INHERIT else asked
        wanted, found = (label or HOST).type, device_of(generator).type
        if wanted != found:
            self.refuse(errors.generator(wanted, found), func, args, kwargs)

    def refuse(self, error: Exception, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise the error of a call, unless a guard lets the program continue."""
        with self.scope.entered(func, args, kwargs):
            self._refuse(error)
