"""Streams and events. They have nothing to order, because the CPU has finished when a call returns."""

from __future__ import annotations

import itertools
import threading
from time import perf_counter
from typing import Any
from weakref import WeakValueDictionary

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.facades.device_module import constant, module_of, replace_existing


class Event:
    """A point in time on the CPU."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._recorded: float | None = None

    def record(self, stream: Any = None) -> None:
        """Record the time."""
        self._recorded = perf_counter()

    def wait(self, stream: Any = None) -> None:
        """No effect: the CPU has finished."""

    def query(self) -> bool:
        """True: all work is done."""
        return True

    def synchronize(self) -> None:
        """No effect: the CPU has finished."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two records.

        Raises: RuntimeError: if one of them was not recorded.
        """
        if self._recorded is None or end_event._recorded is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._recorded - self._recorded) * 1000.0


_DEVICE_TYPES = {"cuda": 1, "xpu": 12, "mps": 13}
"""C10's numbers for them (c10/core/DeviceType.h)."""


class Stream:
    """A queue of work that is always empty."""

    def __init__(self, place: torch.device, current: Current, priority: int = 0) -> None:
        self.device = place
        self.device_index = place.index
        self.priority = priority
        self.device_type = _DEVICE_TYPES[place.type]
        self.stream_id = current.enroll(self)
        self.cuda_stream = 0
        self._current = current
        self._before: list[tuple[Stream, int]] = []

    def __repr__(self) -> str:
        return f"<torch.{self.device.type}.Stream device={self.device} {self.device.type}_stream=0x0>"

    def __enter__(self) -> Stream:
        device = self._current.devices.current
        self._before.append((self._current.put(self), device))
        return self

    def __exit__(self, *_: object) -> None:
        before, device = self._before.pop()
        self._current.put(before)
        self._current.devices.current = device

    def wait_stream(self, stream: Any) -> None:
        """No effect: the CPU has finished."""

    def wait_event(self, event: Any) -> None:
        """No effect: the CPU has finished."""

    def record_event(self, event: Any = None) -> Any:
        """Record an event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """True: all work is done."""
        return True

    def is_capturing(self) -> bool:
        """False: graphs cannot be captured."""
        return False

    def synchronize(self) -> None:
        """No effect: the CPU has finished."""


class Current:
    """The current stream of each device, in each thread."""

    def __init__(self, devices: Devices) -> None:
        self.devices = devices
        self.default: tuple[Stream, ...] = ()
        self._thread = threading.local()
        self._numbers = itertools.count()
        self._enrolled: WeakValueDictionary[int, Stream] = WeakValueDictionary()

    def enroll(self, stream: Stream) -> int:
        """Assign a number to a stream."""
        number = next(self._numbers)
        self._enrolled[number] = stream
        return number

    def with_number(self, number: int) -> Stream:
        """The stream with a number.

        Raises: KeyError: if there is none, or it was deleted.
        """
        return self._enrolled[number]

    def __getitem__(self, index: int) -> Stream:
        chosen: Stream = self._chosen.get(index, self.default[index])
        return chosen

    def put(self, stream: Stream) -> Stream:
        """Make a stream and its device current (`THCPModule_setStream_wrap` in torch/csrc/cuda/Module.cpp);
        returns the previous stream of the device."""
        before = self[stream.device_index]
        self._chosen[stream.device_index] = stream
        self.devices.current = stream.device_index
        return before

    @property
    def _chosen(self) -> dict[int, Stream]:
        chosen: dict[int, Stream] = self._thread.__dict__.setdefault("chosen", {})
        return chosen


def patch(patches: Patches, devices: Devices) -> None:
    """Replace streams and events of the devices' module and the generic ones of torch."""
    current = Current(devices)
    stream_type = _stream_type(devices, current)
    current.default = tuple(map(stream_type, devices.all))

    def current_stream(device: Any = None) -> Stream:
        return current[devices.index_of(device)]

    def default_stream(device: Any = None) -> Stream:
        return current.default[devices.index_of(device)]

    def set_stream(stream: Stream | None) -> None:
        if stream is not None:
            current.put(stream)

    class ExternalStream(stream_type):  # type: ignore[misc, valid-type] # made for the devices
        def __init__(self, stream_ptr: int, device: Any = None, **_: Any) -> None:
            super().__init__(device)
            self.cuda_stream = stream_ptr

    def from_external(data_ptr: int, device: Any = None) -> Stream:
        return ExternalStream(data_ptr, device)

    def context(stream: Stream | None) -> _StreamContext:
        return _StreamContext(stream)

    replacements: dict[str, Any] = {
        "Stream": stream_type,
        "ExternalStream": ExternalStream,
        "get_stream_from_external": from_external,
        "Event": Event,
        "stream": context,
        "StreamContext": _StreamContext,
        "current_stream": current_stream,
        "default_stream": default_stream,
        "set_stream": set_stream,
    }
    module = module_of(devices)
    for owner in (module, getattr(module, "streams", None)):
        if owner is not None:
            replace_existing(patches, owner, replacements)
    patches.replace(torch.Tensor, "record_stream", constant(None))
    replace_existing(patches, torch, {"Stream": stream_type, "Event": _generic_event(devices)})
    generic = {"current_stream": lambda device=None, /: current_stream(device), "set_stream": set_stream}
    replace_existing(patches, torch.accelerator, generic)
    if devices.type in ("cuda", "xpu"):
        _patch_binding(patches, devices, current)


def _patch_binding(patches: Patches, devices: Devices, current: Current) -> None:
    """Replace the C++ functions that torch calls from Python, as its own tests do."""

    def set_stream(stream_id: int, device_index: int, device_type: int) -> None:  # noqa: ARG001 - as torch's
        current.put(current.with_number(stream_id))

    def set_device(index: int) -> None:
        devices.current = index

    def numbers(stream: Stream) -> tuple[int, int, int]:
        return stream.stream_id, stream.device_index, stream.device_type

    binding: dict[str, Any] = {
        "setStream": set_stream,
        "getCurrentStream": lambda index: numbers(current[index]),
        "getDefaultStream": lambda index: numbers(current.default[index]),
        "getCurrentRawStream": lambda index: current[index].cuda_stream,
        "setDevice": set_device,
        "getDevice": lambda: devices.current,
        "getDeviceCount": lambda: devices.count,
        "synchronize": constant(None),
    }
    for name, function in binding.items():
        patches.replace(torch._C, f"_{devices.type}_{name}", function)


def _generic_event(devices: Devices) -> type[Event]:
    class GenericEvent(Event):
        """`torch.Event`, which gets its device as an argument."""

        def __init__(self, device: Any = None, **_: Any) -> None:
            super().__init__()
            self.device = torch.device(devices.place(devices.type if device is None else device).type)

    GenericEvent.__name__ = GenericEvent.__qualname__ = "Event"
    return GenericEvent


class _StreamContext:
    """Makes a stream current in a block; no effect for None."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            self.stream.__exit__()


def _stream_type(devices: Devices, current: Current) -> type[Stream]:
    class Simulated(Stream):
        def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
            place = devices.place(devices.type if device is None else device)
            super().__init__(place, current, priority)

    Simulated.__name__ = Simulated.__qualname__ = "Stream"
    return Simulated
