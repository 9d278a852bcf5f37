"""Writing a trace while the program runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from os import getpid
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any, NamedTuple

from devlint.model import Event, Site, SiteId
from devlint.runtime.places.executed import ExecutedLines
from devlint.runtime.places.sites import NOWHERE_SITE
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.trace.encoding import encode
from devlint.runtime.trace.ranks import Rank
from devlint.version import __version__

COUNTS = ("count", "seconds", "bytes", "forward", "in_steps", "in_batches")
"""The fields of the tally of a child process."""
SCHEMA = 2
"""Incremented when older readers would misunderstand a trace. Before 2, each event had a line."""


_FLUSH = 1.0
"""Seconds after which executed lines are written with the next event."""


class ProgressPoint(NamedTuple):
    """The progress of the program."""

    at: float
    """Seconds since the run began."""
    step: int
    """Steps of optimizers so far."""
    batch: int
    """Batches of data loaders so far."""
    forward: bool
    """Whether the forward of a module is running."""


@dataclass(frozen=True, slots=True)
class Alike:
    """The sum of the events of one kind that came since the line before and have no lines of their own."""

    count: int
    seconds: float | None
    bytes: int | None
    in_steps: int
    """In how many more steps of optimizers they came."""
    in_batches: int
    since: float
    """When the first of them came."""


class TraceWriter:
    """Writes each event that it is given at once, as one line in one call, so that lines are complete however
    the program ends. A place is written once, before the first event that refers to it, and a file before its
    first place.

    Only the process that opened the trace writes to it; a forked process would write into the middle of
    lines.

    Raises:
        OSError: if the file cannot be opened.
    """

    def __init__(self, path: Path, torch_version: str | None, rank: Rank | None = None) -> None:
        self.problem = ""
        """Why the trace ended before the program; empty if it did not."""
        self._file = path.open("wb", buffering=0)
        self._process = getpid()
        self._lock = RLock()
        self._written: set[SiteId] = {NOWHERE_SITE}
        self._files: set[str] = set()
        self._executed: ExecutedLines | None = None
        self._flushed = 0.0
        header = {"devlint": __version__, "torch": torch_version, "schema": SCHEMA}
        self._write([header if rank is None else header | {"rank": rank.number, "ranks": rank.count}])

    def follow(self, executed: ExecutedLines) -> None:
        """Also write executed lines, about every second, with events."""
        self._executed = executed

    def attach(
        self, resolve: Callable[[SiteId], Site], progress: Progress, in_forward: Callable[[], bool]
    ) -> None:
        """Set the sources of places, of the progress, and of the current forward. Write the origin of
        times."""
        self._resolve = resolve
        self._progress = progress
        self._in_forward = in_forward
        self._write([{"began": round(progress.began, 6)}])

    def now(self) -> ProgressPoint:
        """The progress of the program."""
        progress = self._progress
        return ProgressPoint(round(progress.seconds, 6), progress.steps, progress.batches, self._in_forward())

    def listen(self, event: Event, moment: ProgressPoint | None = None, others: Alike | None = None) -> None:
        """Write an event, with the progress of the program, and what came since the line before."""
        named: list[SiteId] = []
        line: dict[str, Any] = (self.now() if moment is None else moment)._asdict()
        if others is not None:
            line["alike"] = asdict(others)
        self._write_after_places(named, line | {"event": encode(event, named.append)})

    def led(self, site: SiteId, caller: SiteId) -> None:
        """Write that a line of the program led to a place in an installed package."""
        self._write_after_places([site, caller], {"called": site, "from": caller})

    def adopt(self, tally: Tally) -> None:
        """Write a tally of a child process, whose single events are not known."""
        named: list[SiteId] = []
        line = {name: getattr(tally, name) for name in COUNTS}
        self._write_after_places(named, {"event": encode(tally.event, named.append), "counted": line})

    def _write_after_places(self, named: Sequence[SiteId], line: dict[str, Any]) -> None:
        if self.problem or getpid() != self._process:
            return
        with self._lock:
            fresh = [site for site in dict.fromkeys(named) if site not in self._written]
            self._written.update(fresh)
            places = [_place(site, self._resolve(site)) for site in fresh]
            self._write([*self._ran(), *self._fresh_files(places), *places, line])

    def _fresh_files(self, places: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The digests of the files that are mentioned for the first time."""
        paths = dict.fromkeys(place["path"] for place in places if place["path"] not in self._files)
        self._files.update(paths)
        return [{"file": path, "digest": digest_of(path)} for path in paths if not path.startswith("<")]

    def close(self, remarks: Sequence[str], doubt: str = "") -> None:
        """Write the remarks, the end of the trace, and the doubt.

        Raises nothing; see `problem`.
        """
        if getpid() != self._process:
            return
        with self._lock:
            ran = self._ran(at_end=True)
            self._write([*ran, *({"remark": remark} for remark in remarks), {"end": True, "doubt": doubt}])
            self._file.close()

    def _ran(self, *, at_end: bool = False) -> list[dict[str, Any]]:
        """The lines executed since the last call; none if that was a short time ago."""
        now = monotonic()
        if self._executed is None or (now - self._flushed < _FLUSH and not at_end):
            return []
        self._flushed = now
        return [
            {"ran": path, "lines": runs_of(lines), "digest": digest_of(path)}
            for path, lines in self._executed.take().items()
        ]

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        if self.problem:
            return
        data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
        try:
            while data:
                data = data[self._file.write(data) :]
        except (OSError, ValueError) as error:
            self.problem = getattr(error, "strerror", None) or str(error)


def runs_of(lines: Sequence[int]) -> list[list[int]]:
    """Sorted numbers as runs, each with first and last number: `[1, 2, 3, 7]` is `[[1, 3], [7, 7]]`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return runs


def digest_of(path: str) -> str:
    """A hash of a file's content; empty if the file cannot be read."""
    try:
        return blake2b(Path(path).read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""


def _place(number: SiteId, site: Site) -> dict[str, Any]:
    path = site.path if site.path.startswith("<") else os.path.abspath(site.path)  # noqa: PTH100
    return {"site": number, **asdict(site), "path": path}
