"""A child process's side: observing itself, and writing down what it saw.

A report is a text file with one JSON object a line, so that it is readable however the process ended. A line
holds what came since the line before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from time import monotonic
from typing import Any

from devlint.model import Event, SiteId
from devlint.runtime import guards
from devlint.runtime.blind_spots.errand import Errand, append, finish
from devlint.runtime.progress import Progress
from devlint.runtime.recorder import Recorder, Tally
from devlint.runtime.sites import NOWHERE_SITE, Sites
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
        recorder.listeners.append(self._seen)

    def write(self) -> None:
        """Write what came since the last time."""
        self._due = monotonic() + _INTERVAL
        tallies = self._recorder.drain()
        if not tallies:
            return
        named: set[SiteId] = set()
        lines = [_line(tally, named) for tally in tallies]
        new = named - self._told - {NOWHERE_SITE}
        self._told |= new
        places = {str(site): [*astuple(self._sites.site(site)), self._sites.text(site)] for site in new}
        append(self._path, {"sites": places, "tallies": lines})

    def _seen(self, _: Event) -> None:
        if monotonic() >= self._due:
            self.write()


def _line(tally: Tally, named: set[SiteId]) -> list[Any]:
    event = encode(tally.event, named.add)
    return [event, tally.count, tally.seconds, tally.bytes, tally.forward, tally.in_steps, tally.in_batches]


@contextmanager
def in_forked(errand: Errand, sites: Sites, progress: Progress) -> Iterator[None]:
    """The observer came along; what it counts from now on is this process's own."""
    sites.start_over()
    recorder = Recorder(progress, errand.settings.warmup)
    guards.start_over(errand.settings.levels, recorder)
    reporter = Reporter(errand.report, recorder, sites)
    try:
        yield
    finally:
        reporter.write()
        finish(errand)


@contextmanager
def in_spawned(errand: Errand) -> Iterator[None]:
    """Nothing came along but the errand."""
    from devlint.runtime.session import Session  # noqa: PLC0415 - imports what starts processes

    session = Session(errand.settings)
    session.start()
    reporter = Reporter(errand.report, session.recorder, session.sites)
    try:
        yield
    finally:
        session.stop()
        reporter.write()
