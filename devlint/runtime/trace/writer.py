"""Writing a trace while the program runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import blake2b
from os import getpid
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from devlint.model import Event, Site, SiteId
from devlint.runtime.places.executed import ExecutedLines
from devlint.runtime.places.sites import NOWHERE_SITE
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.trace.encoding import encode
from devlint.runtime.trace.ranks import Rank
from devlint.version import __version__

COUNTS = ("count", "seconds", "bytes", "forward", "in_steps", "in_batches")
"""The fields of a tally that a child process gives."""
SCHEMA = 1
"""Counts up when what older readers understand is no longer true."""


_FLUSH = 1.0
"""Seconds after which lines that were run are written, if an event comes."""


class TraceWriter:
    """Writes each event as one line, at once and in one piece: what was written stays, however the program
    ends. A place is written once, on a line before the first event that names it, and a file before its first
    place.

    Only the process that opened the trace writes to it; a forked one would write into the middle of lines.

    Raises:
        OSError: if the file cannot be opened.
    """

    def __init__(self, path: Path, torch_version: str | None, rank: Rank | None = None) -> None:
        self.problem = ""
        """Why the trace has stopped before the program did; empty as long as it has not."""
        self._file = path.open("wb", buffering=0)
        self._process = getpid()
        self._lock = Lock()
        self._written: set[SiteId] = {NOWHERE_SITE}
        self._files: set[str] = set()
        self._executed: ExecutedLines | None = None
        self._flushed = 0.0
        header = {"devlint": __version__, "torch": torch_version, "schema": SCHEMA}
        self._write([header if rank is None else header | {"rank": rank.number, "ranks": rank.count}])

    def follow(self, executed: ExecutedLines) -> None:
        """Write which lines were run too, every second or so, as events come."""
        self._executed = executed

    def attach(
        self, resolve: Callable[[SiteId], Site], progress: Progress, in_forward: Callable[[], bool]
    ) -> None:
        """Say where places are to be had, how far the program has come, and what it is in. Writes down when
        the count of seconds began."""
        self._resolve = resolve
        self._progress = progress
        self._in_forward = in_forward
        self._write([{"began": round(progress.began, 6)}])

    def listen(self, event: Event) -> None:
        """Write an event down, with how far the program has come."""
        named: list[SiteId] = []
        line = {
            "at": round(self._progress.seconds, 6),
            "step": self._progress.steps,
            "batch": self._progress.batches,
            "forward": self._in_forward(),
            "event": encode(event, named.append),
        }
        self._write_after_places(named, line)

    def led(self, site: SiteId, caller: SiteId) -> None:
        """Write down that an own line led to a place in an installed package."""
        self._write_after_places([site, caller], {"called": site, "from": caller})

    def adopt(self, tally: Tally) -> None:
        """Write down what a child process has counted, which is all that is known of its events."""
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
        """What tells whether the files that are first named now are what they were."""
        paths = dict.fromkeys(place["path"] for place in places if place["path"] not in self._files)
        self._files.update(paths)
        return [{"file": path, "digest": digest_of(path)} for path in paths if not path.startswith("<")]

    def close(self, remarks: Sequence[str], doubt: str = "") -> None:
        """Write what was not seen, that this is all, and why finding nothing would say little.

        Raises nothing; see `problem`.
        """
        if getpid() != self._process:
            return
        with self._lock:
            ran = self._ran(at_end=True)
            self._write([*ran, *({"remark": remark} for remark in remarks), {"end": True, "doubt": doubt}])
            self._file.close()

    def _ran(self, *, at_end: bool = False) -> list[dict[str, Any]]:
        """The lines that were run since this was asked last, unless that is not long ago."""
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
    """Sorted numbers as runs, first and last of each: `[1, 2, 3, 7]` is `[[1, 3], [7, 7]]`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return runs


def digest_of(path: str) -> str:
    """What tells whether a file is what it was; empty where it cannot be read."""
    try:
        return blake2b(Path(path).read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""


def _place(number: SiteId, site: Site) -> dict[str, Any]:
    path = site.path if site.path.startswith("<") else os.path.abspath(site.path)  # noqa: PTH100
    return {"site": number, **asdict(site), "path": path}
