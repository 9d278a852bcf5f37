"""Reading a trace back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from devlint.model import EditRequest, Event, Site, SiteId, Synchronization, Transfer
from devlint.runtime.progress import Progress
from devlint.runtime.recorder import Recorder, Tally
from devlint.runtime.sites import NOWHERE_SITE, Located
from devlint.runtime.trace.encoding import EncodingError, decode
from devlint.runtime.trace.writer import COUNTS, SCHEMA


class TraceError(Exception):
    """A file that is no trace. The message is one line."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What a trace says, counted as the run itself counted it."""

    devlint: str
    """The version that wrote it."""
    torch: str | None
    """The version of torch that was observed."""
    tallies: list[Tally]
    remarks: list[str]
    """What was not seen, and what of the trace is lost."""
    sites: dict[SiteId, Site] = field(repr=False)

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> Located:  # noqa: ARG002
        """The places that a report names; see `devlint.rules.engine.Locator`."""
        return Located({site: self.sites.get(site, _UNKNOWN) for site in sites})


def read_trace(path: Path) -> Trace:
    """Read a trace, also one whose program was killed. What is damaged is left out and said to be.

    Raises:
        TraceError: if the file cannot be read, is no trace, or is of a later devlint.
    """
    try:
        with path.open("rb") as file:
            return _read(iter(file), path)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None


def _read(lines: Iterator[bytes], path: Path) -> Trace:
    try:
        header = _object(next(lines, b""))
        schema = int(header["schema"])
    except (KeyError, TypeError, ValueError):
        raise TraceError(f"{path}: is no trace of devlint") from None
    if schema > SCHEMA:
        raise TraceError(f"{path}: was written by a later devlint, {header.get('devlint')}")
    replay = _Replay()
    for line in lines:
        replay.take(line)
    remarks = [*replay.remarks, *replay.losses()]
    return Trace(str(header.get("devlint")), header.get("torch"), replay.tallies(), remarks, replay.sites)


class _Replay:
    """Counts what a trace says as if it happened now."""

    def __init__(self) -> None:
        self.sites: dict[SiteId, Site] = {NOWHERE_SITE: _UNKNOWN}
        self.remarks: list[str] = []
        self._progress = Progress()
        self._recorder = Recorder(self._progress)
        self._damaged = 0
        self._cut = False
        self._ended = False

    def take(self, line: bytes) -> None:
        """One line of the trace."""
        try:
            self._understand(_object(line))
        except (EncodingError, KeyError, TypeError, ValueError):
            # The last line of a program that was killed may be half a line; so may any, on a full disk.
            self._damaged += 1
            self._cut = not line.endswith(b"\n")

    def tallies(self) -> list[Tally]:
        return self._recorder.tallies()

    def losses(self) -> Iterator[str]:
        """What is missing, one sentence each."""
        damaged = self._damaged - self._cut
        if self._cut:
            yield "the last line of the trace is cut off and was left out"
        if damaged:
            yield f"damaged lines of the trace were left out: {damaged}"
        if not self._ended:
            yield "the trace has no end: the program was killed, or is still running"

    def _understand(self, line: dict[str, Any]) -> None:
        if "counted" in line:
            self._adopt(line)
        elif "event" in line:
            self._count(line)
        elif "site" in line:
            number = SiteId(line.pop("site"))
            self.sites[number] = Site(**{name: line[name] for name in _SITE_FIELDS if name in line})
        elif "remark" in line:
            self.remarks.append(str(line["remark"]))
        elif "end" in line:
            self._ended = True

    def _count(self, line: dict[str, Any]) -> None:
        event = _event(line)
        self._progress.steps, self._progress.batches = line["step"], line["batch"]
        seconds, size = _measures(event)
        alike = replace(event, seconds=None) if seconds is not None else event  # type: ignore[call-arg]
        key = replace(alike, bytes=None) if size is not None else alike  # type: ignore[call-arg]
        self._recorder.count(key, lambda: alike, seconds, size, lambda: bool(line["forward"]))

    def _adopt(self, line: dict[str, Any]) -> None:
        event, counts = _event(line), line["counted"]
        self._recorder.add(("child", event), Tally(event, **{name: counts[name] for name in COUNTS}))


def _event(line: dict[str, Any]) -> Event:
    event = decode(line["event"])
    if not isinstance(event, Event):
        raise EncodingError("this is no event")
    return event


def _measures(event: Event) -> tuple[float | None, int | None]:
    """How long the host waited, in seconds, and how much was copied, in bytes."""
    match event:
        case Synchronization(seconds=seconds):
            return seconds, None
        case Transfer(seconds=seconds, bytes=size):
            return seconds, size
    return None, None


def _object(line: bytes) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ValueError: if the line holds no such thing.
    """
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("this is no object")  # noqa: TRY004  # one kind of error for all damage
    return found


_SITE_FIELDS = tuple(each.name for each in fields(Site))
_UNKNOWN = Site("<unknown>", 1, 1, 1, 1)
