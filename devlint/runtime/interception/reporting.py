"""A child process's side: observing itself, and writing down what it saw.

A report is a text file with one JSON object a line, so that it is readable however the process ended. A line
holds what came since the line before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from time import monotonic
from typing import Any

from torch.utils.data._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher

from devlint.instrumentation.patches import Patches
from devlint.model import Event, SiteId
from devlint.runtime.interception.child_task import AT_REST, ChildTask, append
from devlint.runtime.places.sites import NOWHERE_SITE, Sites
from devlint.runtime.policy import watches
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder, Tally
from devlint.runtime.trace.encoding import encode

_INTERVAL = 1.0
"""Seconds between two lines, at least: what a process that is killed takes with it."""


class Reporter:
    """Writes what a recorder counts."""

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
            patches.wrap(fetcher, "fetch", self._around_batch)

    def write(self, *, at_rest: bool) -> None:
        """Write what came since the last time. At rest, a process has told all, and may be killed."""
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

    def _seen(self, _: Event) -> None:
        if monotonic() >= self._due:
            self.write(at_rest=False)

    def _around_batch(self, fetch: Callable[..., Any]) -> Callable[..., Any]:
        """The workers of data loaders are killed between two batches."""

        def fetch_and_tell(fetcher: object, indices: object) -> Any:
            try:
                return fetch(fetcher, indices)
            finally:
                self.write(at_rest=True)

        return fetch_and_tell


def _told(tally: Tally, named: set[SiteId]) -> list[Any]:
    event = encode(tally.event, named.add)
    return [event, tally.count, tally.seconds, tally.bytes, tally.forward, tally.in_steps, tally.in_batches]


@contextmanager
def reporting(task: ChildTask, sites: Sites, progress: Progress) -> Iterator[None]:
    """Count from nought what this process does, in all its threads, and write it down."""
    sites.start_over()
    recorder = Recorder(progress, task.settings.warmup)
    watches.start_over(task.settings.levels, recorder)
    reporter = Reporter(task.report, recorder, sites)
    try:
        yield
    finally:
        reporter.write(at_rest=True)
