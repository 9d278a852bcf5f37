"""Reading a trace."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from devlint.model import EditRequest, Event, Site, SiteId, Synchronization, Transfer
from devlint.runtime.places.sites import NOWHERE_SITE, LocatedSites
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder, Tally, kind_of
from devlint.runtime.recording.timeline import Timeline
from devlint.runtime.trace.checking import (
    Check,
    check_of,
    checks_of,
    is_count,
    is_duration,
    is_size,
    is_time,
    is_whole,
)
from devlint.runtime.trace.encoding import EncodingError, decode
from devlint.runtime.trace.ranks import Rank
from devlint.runtime.trace.writer import COUNTS, SCHEMA


class TraceError(Exception):
    """A file is not a trace. The message is one line."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The lines of a file that were run."""

    lines: frozenset[int]
    digest: str
    """The digest of the file, see `digest_of`."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The content of a trace, counted as in the run itself."""

    devlint: str
    """The version that wrote it."""
    torch: str | None
    """The version of torch that was observed."""
    tallies: list[Tally]
    remarks: list[str]
    """What was not observed, and which parts of the trace are lost."""
    doubt: str
    """Why a report without findings does not mean that there is nothing to find; empty if it does."""
    sites: dict[SiteId, Site] = field(repr=False)
    callers: dict[SiteId, list[SiteId]] = field(default_factory=dict, repr=False)
    """For places in installed packages, the program's lines that led there."""
    ran: dict[str, Ran] = field(default_factory=dict, repr=False)
    """The executed lines of each file, by absolute path; empty if the trace has none."""
    rank: Rank | None = None
    """The rank that wrote it; None if the program is not distributed, or several traces are merged."""
    steps: int = 0
    """The number of optimizer steps before the last event."""
    ended: bool = True
    """Whether it is complete."""
    began: float | None = None
    """The origin of its times, in seconds of the Unix clock; None if the trace has none."""
    files: dict[str, str] = field(default_factory=dict, repr=False)
    """The digest of each file with a place, by absolute path, at the time of the run."""

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> LocatedSites:  # noqa: ARG002
        """The places in a report; see `devlint.rules.engine.Locator`."""
        callers = {site: self.callers[site] for site in sites if site in self.callers}
        return LocatedSites(
            {site: self.sites.get(site, UNKNOWN) for site in sites},
            {site: tuple(self.sites.get(each, UNKNOWN) for each in led) for site, led in callers.items()},
        )


def read_trace(path: Path, timeline: Timeline | None = None) -> Trace:
    """Read a trace, even if its program was killed. Damaged lines are ignored, and a remark mentions them.

    `timeline` gets all events with their times.

    Raises: TraceError: if the file cannot be read, is not a trace, or was written by a later devlint.
    """
    try:
        with path.open("rb") as file:
            return _read(iter(file), path, timeline)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None


def _read(lines: Iterator[bytes], path: Path, timeline: Timeline | None) -> Trace:
    try:
        header = _object(next(lines, b""))
        _require(header, _HEADER)
        if "rank" in header:
            _require(header, {"rank": is_count, "ranks": is_count})
    except _DAMAGE:
        raise TraceError(f"{path}: is not a trace of devlint") from None
    if header["schema"] > SCHEMA:
        raise TraceError(f"{path}: was written by a later devlint, {header['devlint']}")
    rank = None
    if "rank" in header:
        rank = Rank(header["rank"], header["ranks"])
    replay = _Replay(timeline)
    for line in lines:
        replay.take(line)
    losses = list(replay.losses())
    return Trace(
        header["devlint"],
        header["torch"],
        replay.tallies(),
        [*replay.remarks, *losses],
        replay.doubt or (_NOT_WHOLE if losses else ""),
        replay.sites,
        replay.callers,
        replay.ran,
        rank,
        replay.steps,
        replay.ended,
        replay.began,
        replay.files,
    )


_NOT_WHOLE = "The trace is incomplete, and the part that exists has no events."


NO_END = "the trace is incomplete: the program was killed, or is still running"


class _Replay:
    """Counts the events of a trace as if they happened now."""

    def __init__(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self.began: float | None = None
        self.files: dict[str, str] = {}
        self.sites: dict[SiteId, Site] = {NOWHERE_SITE: UNKNOWN}
        self.callers: dict[SiteId, list[SiteId]] = {}
        self.remarks: list[str] = []
        self.ran: dict[str, Ran] = {}
        self.doubt = ""
        self._progress = Progress()
        self._recorder = Recorder(self._progress)
        self._damaged = 0
        self._cut = False
        self.ended = False

    def take(self, line: bytes) -> None:
        """Handle one line of the trace."""
        try:
            progress, separator, event = line.partition(_EVENT)
            if separator and progress.startswith(_AT) and event.endswith(_END):
                self._count(_object(progress + b"}"), *_measured(event.removesuffix(_END)))
            else:
                self._understand(_object(line))
        except _DAMAGE:
            # The last line of a killed program may be incomplete, and on a full disk any line.
            self._damaged += 1
            self._cut = not line.endswith(b"\n")

    @property
    def steps(self) -> int:
        return self._progress.steps

    def tallies(self) -> list[Tally]:
        return self._recorder.tallies()

    def losses(self) -> Iterator[str]:
        """The lost parts, one sentence each."""
        damaged = self._damaged - self._cut
        if self._cut:
            yield "the last line of the trace is incomplete and was ignored"
        if damaged:
            yield f"damaged lines of the trace were ignored: {damaged}"
        if not self.ended:
            yield NO_END

    def _understand(self, line: dict[str, Any]) -> None:
        if "counted" in line:
            self._adopt(line)
        elif "event" in line:
            event = _event(line)
            self._count(line, event, _seconds(event))
        elif "site" in line:
            number, site = _site(line)
            self.sites[number] = site
        elif "called" in line:
            _require(line, {"called": is_whole, "from": is_whole})
            self.callers.setdefault(SiteId(line["called"]), []).append(SiteId(line["from"]))
        elif "ran" in line:
            self._run(line)
        elif "file" in line:
            _require(line, {"file": _is_text, "digest": _is_text})
            _require_name_of_file(line["file"])
            self.files[line["file"]] = line["digest"]
        elif "began" in line:
            _require(line, {"began": is_duration})
            self.began = line["began"]
        elif "remark" in line:
            _require(line, {"remark": _is_text})
            self.remarks.append(line["remark"])
        elif "end" in line:
            self.ended = True
            if _is_text(line.get("doubt")):
                self.doubt = line["doubt"]

    def _count(self, line: dict[str, Any], event: Event, seconds: float | None) -> None:
        _require(line, _PROGRESS)
        others = line.get("alike")
        if others is not None:
            _require(others, _ALIKE)
        if self._timeline is not None:
            self._place_in_time(self._timeline, line, event, seconds)
        self._progress.steps, self._progress.batches = line["step"], line["batch"]
        size = event.bytes if isinstance(event, Transfer) else None
        alike = kind_of(event)
        # The rules ask for the size of one copy.
        first = replace(alike, bytes=size) if isinstance(alike, Transfer) else alike
        self._recorder.count(alike, lambda: first, seconds, size, lambda: line["forward"])
        if others is not None:
            counts = {name: others[name] for name in _ALIKE if name != "since"}
            self._recorder.count_others(alike, Tally(first, **counts))

    def _place_in_time(
        self, timeline: Timeline, line: dict[str, Any], event: Event, seconds: float | None
    ) -> None:
        _require(line, {"at": is_time})
        others, size = line.get("alike"), event.bytes if isinstance(event, Transfer) else None
        timeline.add(event, line["at"], line["step"], seconds, size)
        if others is not None:
            span = others["since"], line["at"]
            timeline.add_burst(event, span, line["step"], others["seconds"], others["bytes"], others["count"])

    def _run(self, line: dict[str, Any]) -> None:
        _require(line, {"ran": _is_text, "lines": _are_runs, "digest": _is_text})
        _require_name_of_file(line["ran"])
        lines = {number for first, last in line["lines"] for number in range(first, last + 1)}
        known = self.ran.get(line["ran"])
        before = frozenset() if known is None else known.lines
        self.ran[line["ran"]] = Ran(before | lines, line["digest"])

    def _adopt(self, line: dict[str, Any]) -> None:
        event, counts = _event(line), line["counted"]
        _require(counts, _COUNTED)
        self._recorder.add(("child", event), Tally(event, **{name: counts[name] for name in COUNTS}))


_AT, _EVENT, _END = b'{"at":', b',"event":', b"}\n"
"""The beginning of a line of an event: the progress of the program."""


_SECONDS = re.compile(rb',"seconds":([^,}"]+)')


def _measured(event: bytes) -> tuple[Event, float | None]:
    """The event of a line, and the waiting time, which is the only part that differs between occurrences."""
    told = _SECONDS.search(event)
    if told is None:
        return _decoded(event), None
    seconds = json.loads(told[1])
    if not is_duration(seconds):
        raise TypeError("`seconds` is of another type")
    return _decoded(event[: told.start()] + event[told.end() :]), seconds


@lru_cache(maxsize=4096)
def _decoded(event: bytes) -> Event:
    """The event of a line; cached, because most lines are alike."""
    return _event({"event": _object(event)})


def _event(line: dict[str, Any]) -> Event:
    event = decode(line["event"])
    if not isinstance(event, Event):
        raise EncodingError("this is not an event")
    return event


def _site(line: dict[str, Any]) -> tuple[SiteId, Site]:
    """A place and its number."""
    _require(line, {"site": is_whole})
    fields_ = {name: line[name] for name in _SITE if name in line}
    _require(fields_, {name: _SITE[name] for name in fields_})
    _require_name_of_file(fields_["path"])
    if not all(is_count(value) for value in fields_.values() if isinstance(value, int)):
        raise ValueError("a place is before the beginning of its file")
    return SiteId(line["site"]), Site(**fields_)


def _require_name_of_file(path: str) -> None:
    """Raise ValueError if no operating system allows this file name."""
    if "\0" in path:
        raise ValueError("this is not a file name")
    os.fsencode(path)


def _require(line: dict[str, Any], checks: Mapping[str, Check]) -> None:
    """Reject a line, or a part of it, with a missing field or one of another type.

    Raises: KeyError: if a field is missing. TypeError: if a field has another type.
    """
    for name, fits in checks.items():
        if not fits(line[name]):
            raise TypeError(f"`{name}` is of another type")


def _seconds(event: Event) -> float | None:
    """How long the host waited; None if not measured."""
    return event.seconds if isinstance(event, Synchronization | Transfer) else None


def _object(line: bytes) -> dict[str, Any]:
    """A JSON object.

    Raises: ValueError: if the line is not an object.
    """
    found = json.loads(line, parse_constant=_refuse)
    if not isinstance(found, dict):
        raise ValueError("this is not an object")  # noqa: TRY004  # one kind of error for all damage
    return found


def _refuse(constant: str) -> None:
    """Reject `NaN` and `Infinity`, which are not JSON, but which Python reads."""
    raise ValueError(f"{constant} is not JSON")


_DAMAGE = (EncodingError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""The errors of damaged lines. A line that is nested too deeply for Python counts as damaged."""
_SITE = {**checks_of(Site), "cell": lambda cell: cell is None}
"""A place of a run is in a file without cells."""
_MOST_LINES = 1 << 20
"""The largest number of lines that is accepted."""


def _are_runs(value: object) -> bool:
    """Whether it is a list of pairs of first and last line."""
    return isinstance(value, list) and all(
        isinstance(run, list)
        and len(run) == 2
        and all(is_count(each) for each in run)
        and 0 < run[0] <= run[1] <= _MOST_LINES
        for run in value
    )


_is_text, _is_flag = check_of(str), check_of(bool)
_HEADER = {"schema": is_whole, "devlint": _is_text, "torch": check_of(str | None)}
_PROGRESS = {"step": is_count, "batch": is_count, "forward": _is_flag}
_ALIKE = {
    "count": is_count,
    "seconds": is_duration,
    "bytes": is_size,
    "in_steps": is_count,
    "in_batches": is_count,
    "since": is_time,
}
_COUNTED = {
    "count": is_count,
    "seconds": is_duration,
    "bytes": is_size,
    "forward": _is_flag,
    "in_steps": is_count,
    "in_batches": is_count,
}
UNKNOWN = Site("<unknown>", 1, 1, 1, 1)
