"""Writing a trace while the program runs."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from devlint import __version__
from devlint.model import Event, Site, SiteId
from devlint.runtime.progress import Progress
from devlint.runtime.recorder import Listener
from devlint.runtime.sites import NOWHERE_SITE
from devlint.runtime.trace.encoding import encode

SCHEMA = 1
"""Counts up when what older readers understand is no longer true."""


class TraceWriter:
    """Writes each event as one line, at once and in one piece: what was written stays, however the program
    ends. A place is written once, on a line before the first event that names it.

    Only the process that opened the trace writes to it; a forked one would write into the middle of lines.

    Raises:
        OSError: if the file cannot be opened.
    """

    def __init__(self, path: Path, torch_version: str | None) -> None:
        self.problem = ""
        """Why the trace has stopped before the program did; empty as long as it has not."""
        self._file = path.open("wb", buffering=0)
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._write([{"devlint": __version__, "torch": torch_version, "schema": SCHEMA}])

    def listener(
        self, resolve: Callable[[SiteId], Site], progress: Progress, in_forward: Callable[[], bool]
    ) -> Listener:
        """What writes an event down when it is told of one, with how far the program has come."""
        written: set[SiteId] = {NOWHERE_SITE}

        def listen(event: Event) -> None:
            if self.problem or os.getpid() != self._process:
                return
            named: list[SiteId] = []
            line = {
                "at": round(progress.seconds, 6),
                "step": progress.steps,
                "batch": progress.batches,
                "forward": in_forward(),
                "event": encode(event, named.append),
            }
            with self._lock:
                fresh = [site for site in dict.fromkeys(named) if site not in written]
                written.update(fresh)
                self._write([*(_place(site, resolve(site)) for site in fresh), line])

        return listen

    def close(self, remarks: Sequence[str]) -> None:
        """Write what was not seen and that this is all.

        Raises nothing; see `problem`.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            self._write([*({"remark": remark} for remark in remarks), {"end": True}])
            self._file.close()

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        if self.problem:
            return
        data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
        try:
            while data:
                data = data[self._file.write(data) :]
        except (OSError, ValueError) as error:
            self.problem = getattr(error, "strerror", None) or str(error)


def _place(number: SiteId, site: Site) -> dict[str, Any]:
    path = site.path if site.path.startswith("<") else os.path.abspath(site.path)  # noqa: PTH100
    return {"site": number, **asdict(site), "path": path}
