"""The timeline of waits and copies, in bounded memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple

from devlint.model import Cause, Device, Event, SiteId, Synchronization, Transfer
from devlint.runtime.recording.recorder import total

MOST_MOMENTS = 200_000
"""How many moments are kept. In longer runs, moments of one action that are close together are merged."""


class TimedEvent(NamedTuple):
    """A recurring action: a wait or a copy at one place."""

    kind: type[Event]
    site: SiteId
    operator: str
    source: Device | None
    """For a wait, the device of its operand; None if it has none."""
    target: Device | None
    """None for a wait."""
    cause: Cause | None
    """None for a copy."""


def action_of(event: Event) -> TimedEvent | None:
    """The action of an event; None if it is neither a wait nor a copy."""
    if isinstance(event, Transfer):
        return TimedEvent(Transfer, event.site, event.operator, event.source, event.target, None)
    if isinstance(event, Synchronization):
        device = None if event.operand is None else event.operand.device
        return TimedEvent(Synchronization, event.site, event.operator, device, None, event.cause)
    return None


@dataclass(slots=True)
class Burst:
    """When an action happened, once, or several times close together.

    `start` and `end` are seconds since the start of the run; `seconds` is how long the host waited in
    between, if measured; `step` is the number of optimizer steps before.
    """

    action: int
    start: float
    end: float
    step: int
    seconds: float | None
    bytes: int | None
    count: int = 1

    def absorb(self, later: Burst) -> None:
        """Merge a later moment of the same action into this one."""
        self.start = min(self.start, later.start)
        self.end = max(self.end, later.end)
        self.seconds = total(self.seconds, later.seconds)
        self.bytes = total(self.bytes, later.bytes)
        self.count += later.count


class Timeline:
    """Collects moments in the order of observation. If there are too many, they are merged to `resolution`;
    counts, seconds and bytes stay exact."""

    def __init__(self, most: int = MOST_MOMENTS) -> None:
        self._most = most
        self._numbers: dict[TimedEvent, int] = {}
        self._moments: list[Burst] = []
        self._last: dict[int, Burst] = {}
        """The last moment of each action."""
        self._lock = threading.RLock()
        self.resolution = 0.0
        """Moments of one action within so many seconds are merged; 0 as long as each is kept."""

    @property
    def actions(self) -> list[TimedEvent]:
        """The observed actions; moments refer to them by number."""
        return list(self._numbers)

    @property
    def moments(self) -> list[Burst]:
        """The moments of all actions."""
        return list(self._moments)

    def add(self, event: Event, at: float, step: int, seconds: float | None, size: int | None) -> None:
        """Add an event that ended `at` so many seconds after the start."""
        self.add_burst(event, (max(at - (seconds or 0.0), 0.0), at), step, seconds, size)

    def add_burst(
        self,
        event: Event,
        span: tuple[float, float],
        step: int,
        seconds: float | None,
        size: int | None,
        count: int = 1,
    ) -> None:
        """Add `count` events like this one, from the start of the first to the end of the last."""
        action = action_of(event)
        if action is None:
            return
        with self._lock:
            number = self._numbers.setdefault(action, len(self._numbers))
            moment = Burst(number, *span, step, seconds, size, count)
            last = self._last.get(number)
            if last is not None and self.resolution and self._slot(last) == self._slot(moment):
                last.absorb(moment)
                return
            self._last[number] = moment
            self._moments.append(moment)
            if len(self._moments) > self._most:
                self._coarsen()

    def _slot(self, moment: Burst) -> tuple[int, int]:
        return moment.action, int(moment.end // self.resolution)

    def _coarsen(self) -> None:
        """Double the resolution until half of the moments are left, or one for each action."""
        span = max(moment.end for moment in self._moments)
        while len(self._moments) > self._most // 2 and self.resolution <= span:
            self.resolution = max(2 * self.resolution, span / self._most, 1e-6)
            kept: dict[tuple[int, int], Burst] = {}
            for moment in self._moments:
                known = kept.setdefault(self._slot(moment), moment)
                if known is not moment:
                    known.absorb(moment)
            self._moments = list(kept.values())
        self._last = {moment.action: moment for moment in self._moments}
        self._most = max(self._most, 4 * len(self._numbers))
