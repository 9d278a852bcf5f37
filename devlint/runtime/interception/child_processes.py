"""Child processes that `multiprocessing` starts: the workers of data loaders, and the program's own.

A child observes itself and reports in a file, which is only parsed as data. If a child was killed or is still
running, the report contains the events so far, and a remark says that it is incomplete.
"""

from __future__ import annotations

import json
import multiprocessing.util
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from devlint.instrumentation.hooks import Failed, Leave, hooked
from devlint.instrumentation.patches import Patches
from devlint.model import Site, SiteId
from devlint.runtime.interception import child_task
from devlint.runtime.interception.child_task import AT_REST, DONE, ChildTask, Observe
from devlint.runtime.interception.reporting import reporting
from devlint.runtime.places.sites import NOWHERE_SITE, Sites
from devlint.runtime.policy.active_guards import ActiveGuards, current
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder, Tally, kind_of
from devlint.runtime.recording.remarks import Remarks
from devlint.runtime.trace.encoding import decode
from devlint.simulation.simulation import running

_LAST = -100
"""Priority of exit functions that multiprocessing runs after it has joined its processes."""


@dataclass(slots=True)
class _Child:
    """A process that is expected to report."""

    path: Path
    recorders: tuple[Recorder, ...]
    offset: int = 0
    """How many bytes of the report have been read."""
    places: dict[SiteId, SiteId] = field(default_factory=lambda: {NOWHERE_SITE: NOWHERE_SITE})
    """The child's numbers of places, with those of this process."""
    at_rest: bool = False
    """Whether it had reported everything when it last wrote."""
    done: bool = False
    ticket: Path | None = None
    """A file that it removes when it starts, if there is no other sign of its start."""

    @property
    def is_unseen(self) -> bool:
        """Whether it never began to observe itself."""
        return self.ticket is not None and self.ticket.exists()


class Processes:
    """Gives tasks to child processes, and reads their reports."""

    def __init__(
        self, sites: Sites, progress: Progress, remarks: Remarks, in_spawned: Observe, failed: Failed
    ) -> None:
        self._failed = failed
        self._sites = sites
        self._progress = progress
        self._remarks = remarks
        self._in_spawned = in_spawned
        self._folder: Path | None = None
        self._children: list[_Child] = []
        """Children with incomplete reports."""
        self._numbers = count()
        self._abandoned = 0
        """How many programs could not get a task."""

    def patch(self, patches: Patches) -> None:
        """Let each process that observed code starts write a report."""
        patches.wrap(BaseProcess, "start", hooked(self._send, self._failed))
        child_task.patch(patches, self._in_forked, self._failed)

    def collect(self) -> None:
        """Read the reports so far."""
        for child in self._children:
            self._read(child)
            if child.done:
                child.path.unlink(missing_ok=True)
        self._children = [child for child in self._children if not child.done]

    @property
    def missing(self) -> int:
        """How many processes have incomplete reports."""
        return sum(not child.at_rest and not child.is_unseen for child in self._children)

    @property
    def unseen(self) -> int:
        """How many programs never began to observe themselves."""
        return self._abandoned + sum(child.is_unseen for child in self._children)

    def send(self, guards: ActiveGuards, hand_over: Callable[[ChildTask], Path]) -> None:
        """Give a task to a program that is about to start; `hand_over` returns the file of the task."""
        try:
            task = self._task(guards)
            self._children[-1].ticket = hand_over(task)
        except (OSError, TypeError):
            self._abandoned += 1

    def _in_forked(self, task: ChildTask) -> AbstractContextManager[None]:
        self._children.clear()
        return reporting(task, self._sites, self._progress)

    def _send(self, process: BaseProcess) -> Leave | None:
        guards = current()
        if not guards:
            return None
        try:
            child_task.send(process, self._task(guards))
        except OSError as error:
            self._remarks.say(f"child processes were not observed, a file could not be written: {error}")
        return lambda *_: child_task.call_back(process)

    def _task(self, guards: ActiveGuards) -> ChildTask:
        self.collect()
        path = self._place() / f"{next(self._numbers)}.jsonl"
        self._children.append(_Child(path, tuple(guard.recorder for guard in guards)))
        return ChildTask(str(path), _settings(guards, self._sites), self._in_spawned)

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="devlint-"))
            multiprocessing.util.Finalize(None, self._end, exitpriority=_LAST)
        return self._folder

    def _end(self) -> None:
        self.collect()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, child: _Child) -> None:
        try:
            with child.path.open("rb") as file:
                file.seek(child.offset)
                lines = file.readlines()
        except OSError:
            return
        for line in lines:
            if not line.endswith(b"\n"):
                return
            child.offset += len(line)
            # Only the content of a damaged line is lost.
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                self._take(child, json.loads(line))

    def _take(self, child: _Child, line: dict[str, Any]) -> None:
        child.at_rest = AT_REST in line
        child.done = DONE in line
        for number, (*place, text) in line.get("sites", {}).items():
            child.places[SiteId(int(number))] = self._sites.known(Site(*place), text)
        for site, caller in line.get("callers", ()):
            self._sites.led(child.places[site], child.places[caller])
        for event, *counts in line.get("tallies", ()):
            tally = Tally(decode(event, child.places.__getitem__), *counts)
            for recorder in child.recorders:
                recorder.add(("child", replace(kind_of(tally.event), hot=None)), replace(tally))


def _settings(guards: ActiveGuards, sites: Sites) -> RunSettings:
    """The settings of a child: the levels of the innermost guard, for all its threads."""
    innermost = guards[-1]
    simulate, devices = running() or ("", 1)
    return RunSettings(simulate, devices, innermost.levels, innermost.recorder.warmup, own=tuple(sites.own))
