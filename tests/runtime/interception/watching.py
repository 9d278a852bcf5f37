"""Observation of a part of a test, and its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from devlint.model import Cause, Synchronization
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session.session import Session

Waits = Counter[tuple[str, Cause]]


@contextmanager
def session(**settings: Any) -> Iterator[Session]:
    """A session on simulated devices."""
    found = Session(RunSettings(simulate="cuda", **settings))
    found.start()
    try:
        yield found
    finally:
        found.stop()


def waits(found: Session) -> Waits:
    """The number of waits, by operator and cause."""
    return Counter(
        {
            (tally.event.operator, tally.event.cause): tally.count
            for tally in found.tallies()
            if isinstance(tally.event, Synchronization)
        }
    )
