"""A run as events for trace viewers (Perfetto, `chrome://tracing`), alignable with those of torch's profiler.

The format is the Trace Event Format
(https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), which Perfetto reads
(https://perfetto.dev/docs/getting-started/other-formats). Times are microseconds since `baseTimeNanoseconds`,
which is that of torch's profiler (`ChromeTraceBaseTime` in Kineto's output_json.cpp), so that viewers can
show both together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from devlint.report.place import place
from devlint.report.profile import Act, ActKind, Lane, Moment, Profile
from devlint.version import __version__

_FIRST_PROCESS = 1 << 30
"""Larger than any process number of an operating system, so that no other trace has the same lanes."""
_MICRO = 1e6
_NANO = 10**9
_QUARTER = 7_889_238
"""Seconds in a quarter of a mean year; the base is the last multiple of it."""
_ROWS = tuple(ActKind)


def render(profile: Profile, out: TextIO) -> None:
    """Write all moments as one JSON object, one event per line."""
    base = int(profile.began or 0) // _QUARTER * _QUARTER
    head = {
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": base * _NANO,
        "otherData": {
            "devlint": __version__,
            "torch": profile.torch,
            "program": profile.title,
            "notes": " | ".join(profile.notes),
        },
    }
    out.write(json.dumps(head)[:-1])
    out.write(', "traceEvents": [\n')
    separator = ""
    for event in _events(profile, (profile.began or base) - base):
        out.write(separator + json.dumps(event, separators=(",", ":")))
        separator = ",\n"
    out.write("\n]}\n")


def _events(profile: Profile, began: float) -> Iterator[dict[str, Any]]:
    """The events. `began` is the start of the run, in seconds since the base."""
    threads = {(act.lane, act.kind): act for act in profile.acts}
    lanes = sorted({lane for lane, _ in threads}, key=lambda lane: (lane.rank or 0, lane.device))
    numbers = {
        key: number
        for number, key in enumerate(
            ((lane, kind) for lane in lanes for kind in _ROWS if (lane, kind) in threads), 1
        )
    }
    yield from _names(lanes, numbers)
    codes = _codes(profile)
    for moment in profile.moments:
        act = profile.acts[moment.act]
        yield _event(moment, began, act, numbers[act.lane, act.kind], codes[moment.act])


def _names(lanes: Sequence[Lane], numbers: dict[tuple[Lane, ActKind], int]) -> Iterator[dict[str, Any]]:
    """The names of processes and threads in viewers: ranks, and the rows of their devices."""
    for rank in dict.fromkeys(lane.rank for lane in lanes):
        name = "devlint" if rank is None else f"devlint, rank {rank}"
        yield _metadata("process_name", _process(rank), 0, {"name": name})
    for (lane, kind), number in numbers.items():
        name = f"{lane.device or 'unnamed device'}: {kind.value}"
        yield _metadata("thread_name", _process(lane.rank), number, {"name": name})
        yield _metadata("thread_sort_index", _process(lane.rank), number, {"sort_index": number})


def _metadata(name: str, process: int, thread: int, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "ts": 0, "name": name, "pid": process, "tid": thread, "args": arguments}


def _process(rank: int | None) -> int:
    return _FIRST_PROCESS + (rank or 0)


def _event(moment: Moment, began: float, act: Act, thread: int, codes: Sequence[str]) -> dict[str, Any]:
    """A complete event if the waiting time was measured, else an instant event."""
    start, end = ((began + at) * _MICRO for at in (moment.start, moment.end))
    if moment.seconds is None:
        shape = {"ph": "i", "s": "t", "ts": round(end, 3)}
    else:
        shape = {"ph": "X", "ts": round(start, 3), "dur": round(end - start, 3)}
    operand = f" of {act.operand}" if act.operand else ""
    arguments = {
        "place": place(act.site),
        "what": act.detail,
        "step": moment.step,
        **({"bytes": moment.bytes} if moment.bytes is not None else {}),
        **({"count": moment.count} if moment.count > 1 else {}),
        **({"rules": ", ".join(codes)} if codes else {}),
    }
    return {
        "name": f"{act.operator.strip('`')}{operand}",
        "cat": act.kind.value,
        **shape,
        "pid": _process(act.lane.rank),
        "tid": thread,
        "args": arguments,
    }


def _codes(profile: Profile) -> list[list[str]]:
    """The rules that report each act."""
    return [
        [finding.code for finding in profile.report.findings if finding.site == act.site]
        for act in profile.acts
    ]
