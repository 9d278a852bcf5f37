"""Four ways of seeing whether the host waits for the device while something runs.

- torch's own debug mode raises at what it knows to wait.
- torch's GPU trace calls back at what synchronizes a stream, a device or an event. It cannot be switched off
  again, and an error that passes while it is on can become another one, so it needs a process of its own.
- A busy device: while it has some milliseconds of work to do, only what does not wait comes back at once. It
  relies on nobody's lists, and sees no wait for what is not busy: another stream, an event of before.
- The profiler tells the calls of CUDA that took long, and how long each took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any

import torch
from torch.cuda import _gpu_trace
from torch.profiler import ProfilerActivity, profile, record_function

Run = Callable[[], Any]
WAITS, GOES_ON, RAISES, UNTESTED = "w", ".", "r", "?"
"""The letters for what is seen of one run."""
BUSY_MS = 5.0
RUNS = 4
_CYCLES = 20_000_000
"""Some ten milliseconds of work at the clock that a device has when it is busy."""
_CLOCK_TRIES = 16
"""Of so much work: long enough for the clock to rise."""
_FORBIDDEN = "called a synchronizing CUDA operation"
_MARK = "devlint: observed"


def forbidden(run: Run) -> tuple[str, str]:
    """What torch's debug mode says of a run, and the first line of what it raised."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        run()
    except Exception as error:  # whatever an operator raises
        text = str(error)
        return WAITS if _FORBIDDEN in text else RAISES, text.partition("\n")[0]
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return GOES_ON, ""


def traced(run: Run) -> Counter[str]:
    """Which kinds of synchronization torch's GPU trace sees in a run: of a stream, a device, an event."""
    seen = _trace()
    torch.cuda.synchronize()
    seen.clear()
    run()
    return Counter(seen)


@cache
def _trace() -> list[str]:
    """The kinds seen so far, once the trace is on."""
    seen: list[str] = []
    torch.cuda.synchronize()  # starts CUDA
    _gpu_trace.register_callback_for_stream_synchronization(lambda _: seen.append("stream"))
    _gpu_trace.register_callback_for_event_synchronization(lambda _: seen.append("event"))
    _gpu_trace.register_callback_for_device_synchronization(lambda: seen.append("device"))
    torch._C._activate_gpu_trace()
    return seen


def milliseconds(run: Run) -> float:
    """How much longer a run keeps the host while the device is busy for `BUSY_MS`: the least of some tries.

    One try that comes back at once is enough. What is done for the first time may wait for other reasons, so
    the run should have been made before. It is made `RUNS` times at most.
    """
    torch.cuda.synchronize()
    idle = _timed(run)
    least = float("inf")
    for _ in range(RUNS - 1):
        torch.cuda.synchronize()
        _occupy(BUSY_MS * _cycles_per_millisecond())
        least = min(least, _timed(run) - idle)
        if not waited(least):
            break
    torch.cuda.synchronize()
    return least


def waited(longer: float) -> bool:
    """Whether a time that `milliseconds` gave is that of a run that waits."""
    return longer > BUSY_MS * 0.6


def _timed(run: Run) -> float:
    started = perf_counter()
    run()
    return (perf_counter() - started) * 1e3


@cache
def _cycles_per_millisecond() -> float:
    """How many of the cycles that `torch.cuda._sleep` counts make a millisecond here, at the fastest clock.

    A device that was idle counts several times more slowly until its clock has risen. Measured then, the work
    would be over too soon later, and whatever waits would seem to go on. At a slower clock it only takes
    longer.
    """
    return max(_CYCLES / _milliseconds_of(_CYCLES) for _ in range(_CLOCK_TRIES))


def _milliseconds_of(cycles: float) -> float:
    torch.cuda.synchronize()
    started = perf_counter()
    _occupy(cycles)
    torch.cuda.synchronize()
    return (perf_counter() - started) * 1e3


def _occupy(cycles: float) -> None:
    """Give the device something to do."""
    torch.cuda._sleep(int(cycles))  # type: ignore[no-untyped-call]


def profiled(run: Run) -> dict[str, float]:
    """The calls of CUDA that a run makes, as the profiler sees them: microseconds by name."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        torch.cuda.synchronize()
        with record_function(_MARK):
            run()
        torch.cuda.synchronize()
    events = [event for event in profiler.events() or () if event.device_type.name == "CPU"]
    inside = next(event.time_range for event in events if event.name == _MARK)
    found: dict[str, float] = {}
    for event in events:
        if event.name.startswith("cuda") and inside.start <= event.time_range.start <= inside.end:
            found[event.name] = round(found.get(event.name, 0.0) + event.time_range.elapsed_us(), 1)
    return found
