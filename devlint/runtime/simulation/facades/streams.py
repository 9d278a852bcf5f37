"""Streams and events: the CPU has done everything by the time a call returns, so they order nothing."""

from __future__ import annotations

import time
from typing import Any

import torch

from devlint.runtime.patches import Patches
from devlint.runtime.simulation.devices import Devices
from devlint.runtime.simulation.facades.device_module import module_of, replace_existing


def patch(patches: Patches, devices: Devices) -> None:
    """Replace streams and events of the devices' module and the generic ones of torch."""
    stream_type, event_type = _types(devices)
    default = tuple(stream_type(place) for place in devices.all)

    def default_stream(device: Any = None) -> Any:
        return default[devices.index_of(device)]

    def current_stream(device: Any = None) -> Any:
        return default_stream(device)

    class StreamContext:
        """Has a stream in force for a while, or none."""

        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def __enter__(self) -> None:
            """Nothing to enter."""

        def __exit__(self, *_: object) -> None:
            """Nothing to leave."""

    def context(stream: Any) -> StreamContext:
        return StreamContext(stream)

    replacements: dict[str, Any] = {
        "Stream": stream_type,
        "ExternalStream": type("ExternalStream", (stream_type,), {}),
        "Event": event_type,
        "stream": context,
        "StreamContext": StreamContext,
        "current_stream": current_stream,
        "default_stream": default_stream,
        "set_stream": lambda stream: None,
    }
    module = module_of(devices)
    for owner in (module, getattr(module, "streams", None)):
        if owner is not None:
            replace_existing(patches, owner, replacements)
    patches.replace(torch.Tensor, "record_stream", lambda tensor, stream: None)
    replace_existing(patches, torch, {"Stream": stream_type, "Event": event_type})
    replace_existing(
        patches, torch.accelerator, {"current_stream": lambda device=None, /: current_stream(device)}
    )


def _types(devices: Devices) -> tuple[type, type]:
    class Event:
        """A point in time. Times are those of the CPU that does the work."""

        def __init__(self, *_: Any, **__: Any) -> None:
            self._recorded: float | None = None

        def record(self, stream: Any = None) -> None:
            self._recorded = time.perf_counter()

        def wait(self, stream: Any = None) -> None:
            """Nothing to wait for."""

        def query(self) -> bool:
            return True

        def synchronize(self) -> None:
            """Nothing to wait for."""

        def elapsed_time(self, end_event: Event) -> float:
            """Milliseconds between two records."""
            if self._recorded is None or end_event._recorded is None:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
            return (end_event._recorded - self._recorded) * 1000.0

    class Stream:
        """A queue of work that is always empty."""

        def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
            self.device = devices.place(devices.type if device is None else device)
            self.device_index = self.device.index
            self.priority = priority
            self.stream_id = 0
            self.cuda_stream = 0

        def __repr__(self) -> str:
            return f"<torch.{devices.type}.Stream device={self.device} {devices.type}_stream=0x0>"

        def __enter__(self) -> Stream:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing to leave."""

        def wait_stream(self, stream: Any) -> None:
            """Nothing to wait for."""

        def wait_event(self, event: Any) -> None:
            """Nothing to wait for."""

        def record_event(self, event: Any = None) -> Any:
            event = Event() if event is None else event
            event.record(self)
            return event

        def query(self) -> bool:
            return True

        def is_capturing(self) -> bool:
            return False

        def synchronize(self) -> None:
            """Nothing to wait for."""

    return Stream, Event
