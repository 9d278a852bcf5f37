"""The side of the child process: observing itself, and writing a report.

A report is a text file with one JSON object per line, so that it is readable however the process ended. A
line has the events since the previous line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from time import monotonic
from typing import Any

from torch.utils.data._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher

from devlint.instrumentation.hooks import hooked, report_failure
from devlint.instrumentation.patches import Patches
from devlint.model import SiteId
from devlint.runtime.interception.child_task import AT_REST, ChildTask, append
from devlint.runtime.places.sites import NOWHERE_SITE, Sites
from devlint.runtime.policy import active_guards
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder, Tally
from devlint.runtime.trace.encoding import encode

_INTERVAL = 1.0
"""The least number of seconds between two lines: the events of this time are lost if the process is
killed."""


class Reporter:
    """Writes the counts of a recorder."""

    def __init__(self, path: str, recorder: Recorder, sites: Sites) -> None:
        self._path = path
        self._recorder = recorder
        self._sites = sites
        self._told: set[SiteId] = set()
        self._due = 0.0
        self._at_rest = False
        recorder.listeners.append(self._seen)
        patches = Patches()
        for fetcher in (_MapDatasetFetcher, _IterableDatasetFetcher):
            patches.wrap(fetcher, "fetch", hooked(lambda *_: self._rest, report_failure))

    def write(self, *, at_rest: bool) -> None:
        """Write the events since the last line. `at_rest` means that the process has reported everything, and
        may be killed."""
        self._due = monotonic() + _INTERVAL
        tallies = self._recorder.drain()
        if tallies or at_rest != self._at_rest:
            append(self._path, self._line(tallies) | ({AT_REST: True} if at_rest else {}))
            self._at_rest = at_rest

    def _line(self, tallies: list[Tally]) -> dict[str, Any]:
        named: set[SiteId] = set()
        lines = [_told(tally, named) for tally in tallies]
        callers = [(site, caller) for site in named for caller in self._sites.callers(site)]
        named.update(caller for _, caller in callers)
        new = named - self._told - {NOWHERE_SITE}
        self._told |= new
        places = {str(site): [*astuple(self._sites.site(site)), self._sites.text(site)] for site in new}
        return {"sites": places, "callers": callers, "tallies": lines}

    def _seen(self, *_: object) -> None:
        if monotonic() >= self._due:
            self.write(at_rest=False)

    def _rest(self, *_: object) -> None:
        """Write between two batches, where data loaders may kill their workers."""
        self.write(at_rest=True)


def _told(tally: Tally, named: set[SiteId]) -> list[Any]:
    event = encode(tally.event, named.add)
    return [event, tally.count, tally.seconds, tally.bytes, tally.forward, tally.in_steps, tally.in_batches]


@contextmanager
def reporting(task: ChildTask, sites: Sites, progress: Progress) -> Iterator[None]:
    """Observe this process, in all its threads, counting from zero, and write the report."""
    sites.start_over()
    recorder = Recorder(progress, task.settings.warmup)
    active_guards.start_over(task.settings.levels, recorder)
    reporter = Reporter(task.report, recorder, sites)
    try:
        yield
    finally:
        reporter.write(at_rest=True)
