"""Lifting: calls of torch by tests create tensors on the device; calls by the library are judged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from sys import _getframe
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.testing import _comparison
from torch.utils._device import _device_constructors as constructors

from devlint.instrumentation.own_files import is_own
from devlint.instrumentation.patches import Patches
from devlint.runtime.lift.entries import (
    arguments,
    is_being_made,
    is_told_host,
    makes_module,
    names_host,
    passed_arguments,
)
from devlint.runtime.lift.faults import Faults, tensors
from devlint.runtime.lift.moving import DeviceMover, keep_on_host, memory_of, put_tensor
from devlint.runtime.lift.owners import Entries, Owner, Owners
from devlint.runtime.lift.unseen import ON_HOST, hide
from devlint.runtime.observer import Observer
from devlint.runtime.session.observation import shared
from devlint.simulation.devices import Devices
from devlint.simulation.labels import label_of
from devlint.simulation.layer import Layer

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
_REMEMBERED = 4
"""How many entries into the library are remembered, if tests and library call each other."""


class Lift:
    """Lifts the tensors that test code creates and passes to the library to a simulated device.

    Args: owners: the owners of code. index: of the device.
    """

    def __init__(self, owners: Owners, index: int = 0) -> None:
        self.owners = owners
        self._index = index
        self._mover = DeviceMover(owners.of_class)
        self._entered = _Entered()
        self._devices: Devices | None = None
        self._calls = 0
        self.faults = Faults(owners, shared().sites)

    def go_to(self, index: int) -> None:
        """Lift to the device with another index from now on."""
        if index != self._index:
            self._index = index
            self._mover.start_over()

    def forget(self) -> None:
        """Drop the state of a test."""
        self._entered.clear()

    def take_calls(self) -> int:
        """How often test code entered the library since the last call."""
        calls, self._calls = self._calls, 0
        return calls

    def begin(self, devices: Devices, patches: Patches) -> None:
        """Start with a simulation, until `patches` are undone."""
        self._devices = devices
        for name in ("parameters", "named_parameters", "buffers", "named_buffers"):
            patches.wrap(nn.Module, name, self._moving)
        patches.wrap(torch, "from_numpy", self._lifting)
        for compiled in (torch._C.ScriptFunction, torch._C.ScriptMethod):
            patches.wrap(compiled, "__call__", self._entering)
        patches.wrap(_comparison.TensorLikePair, "__init__", _anywhere)
        hide(patches, lambda frame: self.owners.of_file(frame.f_code.co_filename) is Owner.TEST)

    def handle(self, layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        """Make a call of torch as its author would have written it for a device."""
        asking: FrameType | None = _getframe(2)
        assert asking is not None
        code = asking.f_code
        if code is _OBSERVES or code is _PASSES_ON:
            asking = asking.f_back
        elif is_own(code.co_filename):  # devlint asks for itself
            return layer.run(func, args, kwargs)
        frame, owner = self.owners.caller(asking)
        if frame is None:
            return layer.run(func, args, kwargs)
        if func in _PRINTING:
            return layer.scope.run(func, args, kwargs)
        if owner is Owner.TEST:
            return self._of_test(layer, func, args, kwargs)
        entry = self._entry(frame)
        may_name_host = "device" in kwargs or func in _MOVES
        if may_name_host and entry is not None and is_host_named(func, args, kwargs) and is_told_host(entry):
            args, kwargs = self._told(args, kwargs)
            if owner is Owner.LIBRARY:
                self.faults.note_excused(frame)
        return layer.run(func, args, kwargs)

    def excuses(self, error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether a mismatch is not the library's mistake, but that of a test, a third party, or lifting."""
        frame, owner = self.owners.caller(_getframe(1))
        if frame is None:
            return True
        if owner is Owner.TEST:
            self._put_operands(args, kwargs)
            return True
        entry = self.owners.entry(frame)
        is_being_set_up = entry is not None and makes_module(entry) is not None
        is_compared = (
            entry is None and owner is Owner.THIRD_PARTY and self._are_from_test(frame, args, kwargs)
        )
        excused = is_being_set_up or is_compared or self.faults.excuse(error, owner, args, kwargs)
        if excused and owner is Owner.LIBRARY:
            self.faults.note_excused(frame)
        return excused

    def _put_operands(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Lift the host operands that a test mixes with others, such as those of its `torch.Tensor(…)`:
        backward meets them again, and the library may start it."""
        for tensor in tensors((*args, *kwargs.values())):
            if label_of(tensor) is None:
                put_tensor(tensor, self._device)

    def _are_from_test(self, frame: FrameType, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether the mismatched operands of a third party come from test code, as in a comparison."""
        called = self.owners.called_by_test(frame)
        values = () if called is None else arguments(called).values()
        handed = set(map(_identity, tensors(values)))
        return all(_identity(each) in handed for each in tensors((*args, *kwargs.values())))

    @property
    def _device(self) -> torch.device:
        assert self._devices is not None
        return self._devices.all[self._index]

    def _moving(self, members: Callable[..., Any]) -> Callable[..., Any]:
        """Move a module before a test passes its parameters on, such as to an optimizer."""

        def moved_members(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            frame, owner = self.owners.caller(_getframe(1))
            if owner is Owner.TEST and frame is not None:
                self._put(module, frame)
            return members(module, *args, **kwargs)

        return moved_members

    def _entering(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Lift what a test passes to the library before that calls a function of TorchScript, which no mode
        gets, and what the test passes to one itself."""

        def entered(compiled: Any, *args: Any, **kwargs: Any) -> Any:
            frame, owner = self.owners.caller(_getframe(1))
            if frame is not None and owner is Owner.TEST:
                for value in (*args, *kwargs.values()):
                    self._put(value, frame)
            elif frame is not None:
                self._entry(frame)
            return call(compiled, *args, **kwargs)

        return entered

    def _lifting(self, take: Callable[..., Tensor]) -> Callable[..., Tensor]:
        """Lift the results of a function that no mode gets, if a test calls it."""

        def from_numpy(array: Any) -> Tensor:
            made = take(array)
            if self.owners.caller(_getframe(1))[1] is Owner.TEST:
                put_tensor(made, self._device)
            return made

        return from_numpy

    def _of_test(self, layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
        if func in ON_HOST:
            return ON_HOST[func]
        if is_host_named(func, args, kwargs):
            args, kwargs = self._told(args, kwargs)
        result = layer.run(func, args, kwargs)
        if func is torch.device:
            return self._device if names_host(result) else result
        if func is Tensor.cpu and isinstance(result, Tensor) and result is not args[0]:
            keep_on_host(result)
        elif not _holds_tensor(args) and not _holds_tensor(kwargs.values()):
            for made in result if isinstance(result, (list, tuple)) else (result,):
                if isinstance(made, Tensor) and _is_lifted(made, kwargs):
                    put_tensor(made, self._device)
        return result

    def _told(self, args: Arguments, kwargs: Keywords) -> tuple[Arguments, Keywords]:
        """The arguments of a call, with the device in place of the host."""
        device = self._device
        named = {
            name: device if names_host(value) or (name == "device" and value is None) else value
            for name, value in kwargs.items()
        }
        return tuple(device if names_host(value) else value for value in args), named

    def _entry(self, frame: FrameType) -> FrameType | None:
        """The frame by which a test entered the library, from a frame inside. Lifts its arguments."""
        entered = self._entered
        if frame is not entered.last:
            entry = self.owners.entry(frame, entered.around)
            if entry is not None and entry is not entered.of_last:
                self._enter(entry)
            entered.last, entered.of_last = frame, entry
        return entered.of_last

    def _enter(self, entry: FrameType) -> None:
        frames = self._entered.frames
        if entry in frames:
            return
        if len(frames) == _REMEMBERED:
            del frames[0]
        frames.append(entry)
        self._calls += 1
        if makes_module(entry) is None:
            for value in passed_arguments(entry):
                self._put(value, entry)

    def _put(self, value: Any, frame: FrameType) -> None:
        self._mover.put(value, self._device, lambda module: is_being_made(module, frame))


class _Entered(threading.local):
    """The frames by which this thread entered the library, the latest last."""

    def __init__(self) -> None:
        self.frames: list[FrameType] = []
        self.last: FrameType | None = None
        """The frame of the library, or of a third party, that last called torch."""
        self.of_last: FrameType | None = None
        """The frame by which the library was entered for that call."""
        self.around: Entries = {}
        """The frames around another such frame, with those by which the library was entered for them."""

    def clear(self) -> None:
        """Forget them."""
        self.frames.clear()
        self.around.clear()
        self.last = self.of_last = None


def _identity(tensor: Tensor) -> int:
    """That of a tensor's memory, which views and `.data` share."""
    memory = memory_of(tensor)
    return id(tensor if memory is None else memory)


def is_host_named(func: Any, args: Arguments, kwargs: Keywords) -> bool:
    """Whether a call gets the host as its device, or explicitly requests the default."""
    if func in _MOVES:
        return any(map(names_host, args)) or any(map(names_host, kwargs.values()))
    if "device" not in kwargs:
        return False
    device = kwargs["device"]
    return names_host(device) or (device is None and func in constructors())


def _is_lifted(made: Tensor, kwargs: Keywords) -> bool:
    """Whether a new tensor is lifted: the call names no device."""
    return kwargs.get("device") is None and not made.is_meta


def _holds_tensor(values: Any) -> bool:
    for value in values:  # asked at each call of a test: a generator would take longer than the test
        if isinstance(value, Tensor):
            return True
        if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
            return True
    return False


def _anywhere(init: Callable[..., None]) -> Callable[..., None]:
    """Let `torch.testing.assert_close` compare with a reference on any device."""

    def __init__(pair: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it stands in for this method
        init(pair, *args, **{**kwargs, "check_device": False})

    return __init__


_PASSES_ON, _OBSERVES = Observer.__torch_function__.__code__, Observer._observed.__code__
"""What passes on a call of the program."""
_MOVES = frozenset((Tensor.to, torch._C._nn._parse_to))
_PRINTING = frozenset((Tensor.__repr__, Tensor.__format__))
"""Format tensors as on the CPU, because tests and doctests compare the text."""
