"""Which events a trace holds one by one: it grows with a program's places, and hardly with its length.

The first events of each kind have a line each. From then on a line comes whenever there were 1/64 more of
them, and says of the others what they add up to. So a million events of one kind take some 800 lines, and a
program that is killed takes at most one event in 64 with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import getpid
from threading import RLock

from devlint.model import Event, Synchronization, Transfer
from devlint.runtime.recording.recorder import Number, Tally
from devlint.runtime.trace.writer import Alike, ProgressPoint, TraceWriter

ONE_BY_ONE = 256
"""So many events of a kind have a line each."""
SHARE = 64
"""Of how many that came, one more has a line from then on."""


@dataclass(slots=True)
class _TallyState:
    """What the trace says of a kind of event: the numbers of its tally when its last line was written."""

    tally: Tally
    """Kept, so that no other gets its identity."""
    count: int = 0
    seconds: float | None = None
    bytes: int | None = None
    in_steps: int = 0
    in_batches: int = 0
    moment: ProgressPoint | None = None
    """That of the last line."""
    since: float | None = None
    """When the first event came that has no line; None if all have one."""
    last: tuple[Event, ProgressPoint] | None = None
    """The last event that has no line."""

    @property
    def is_due(self) -> bool:
        """Whether the next event has a line."""
        return self.tally.count > self.count + (self.count // SHARE if self.count >= ONE_BY_ONE else 0)

    def note(self, moment: ProgressPoint | None = None) -> None:
        """All that was counted has been told."""
        tally = self.tally
        self.count, self.seconds, self.bytes = tally.count, tally.seconds, tally.bytes
        self.in_steps, self.in_batches = tally.in_steps, tally.in_batches
        self.moment, self.since, self.last = moment, None, None


class ThinnedTrace:
    """Writes the events of a run to a trace, as many as it takes."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._states: dict[int, _TallyState] = {}
        """By the identity of the tally."""
        self._process = getpid()
        self._lock = RLock()

    def hear(self, event: Event, tally: Tally) -> None:
        """Told of each event, when it has been counted."""
        self._locked(lambda: self._hear(event, tally))

    def adopt(self, tally: Tally) -> None:
        """Told of each tally that grows by what a child process has counted."""
        self._locked(lambda: self._adopt(self._state_of(tally)))

    def write_rest(self) -> None:
        """Write what no line tells yet: the run is over."""
        self._locked(self._write_rest)

    def _locked(self, write: Callable[[], None]) -> None:
        if getpid() == self._process:  # in a forked process, the lock may be held for ever
            with self._lock:
                write()

    def _hear(self, event: Event, tally: Tally) -> None:
        state, moment = self._state_of(tally), self._writer.now()
        if state.is_due:
            self._write(state, event, moment)
        elif tally.count > state.count:
            state.since = moment.at if state.since is None else state.since
            state.last = event, moment

    def _state_of(self, tally: Tally) -> _TallyState:
        known = self._states.get(id(tally))
        if known is None:
            known = self._states[id(tally)] = _TallyState(tally)
        return known

    def _write(self, state: _TallyState, event: Event, moment: ProgressPoint) -> None:
        self._writer.listen(event, moment, _others(state, event, moment))
        state.note(moment)

    def _adopt(self, state: _TallyState) -> None:
        if state.is_due:
            self._write_adopted(state)

    def _write_adopted(self, state: _TallyState) -> None:
        now = state.tally
        count, seconds, size = (
            now.count - state.count,
            _more(now.seconds, state.seconds),
            _more(now.bytes, state.bytes),
        )
        self._writer.adopt(Tally(now.event, count, seconds, size, now.forward, now.in_steps, now.in_batches))
        state.note()

    def _write_rest(self) -> None:
        for state in self._states.values():
            if state.last is not None:
                self._write(state, *state.last)
            elif state.tally.count > state.count:
                self._write_adopted(state)


def _others(state: _TallyState, event: Event, moment: ProgressPoint) -> Alike | None:
    """What came since the line before, but for the event itself; None if nothing did."""
    tally, before = state.tally, state.moment
    count = tally.count - state.count - 1
    if not count:
        return None
    seconds = event.seconds if isinstance(event, Synchronization | Transfer) else None
    size = event.bytes if isinstance(event, Transfer) else None
    return Alike(
        count,
        _more(_more(tally.seconds, state.seconds), seconds),
        _more(_more(tally.bytes, state.bytes), size),
        tally.in_steps - state.in_steps - (before is None or before.step != moment.step),
        tally.in_batches - state.in_batches - (before is None or before.batch != moment.batch),
        moment.at if state.since is None else state.since,
    )


def _more(now: Number | None, before: Number | None) -> Number | None:
    """By how much something has grown; None where it was never measured."""
    return now if now is None or before is None else max(now - before, type(now)(0))
