"""Counting events by place: one tally for each recurring event."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import TypeVar

from devlint.model import Event, HotPath, Kind, Observed, Synchronization, Transfer
from devlint.runtime.recording.progress import Progress

RECURRING = 10
"""From so many times on, a place outside of any known loop counts as a hot path."""
REGULAR = 10
"""An event in more than one of so many steps belongs to the loop; a rarer one is logging."""
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Warmup:
    """What is ignored at first: so many times at each place, so many seconds, so many optimizer steps."""

    occurrences: int = 0
    seconds: float = 0.0
    steps: int = 0


@dataclass(slots=True)
class Tally:
    """A recurring event at one place, with its count.

    `seconds` is how long the host waited in total, if measured; `bytes` is how much was copied in total.
    """

    event: Event
    count: int = 0
    seconds: float | None = None
    bytes: int | None = None
    forward: bool = False
    """Whether it was first observed inside the forward of a module."""
    in_steps: int = 0
    """In how many of the observed optimizer steps it happened."""
    in_batches: int = 0
    """Between how many batches of a data loader it happened."""
    first: tuple[int, int] | None = None
    """How many steps and batches had been observed before it first happened."""
    last: tuple[int, int] = (0, 0)
    sampled: int = 0
    """How many of `count` were observed during sampling."""
    unseen: int = 0
    """How many more there were, estimated by the weights of the steps in which it was observed."""
    ranks: dict[int, Observed] = field(default_factory=dict)
    """The measurements of each rank, if tallies of several ranks were merged."""
    estimated: bool = False
    """Whether the numbers are estimated from a part of the steps."""

    @property
    def hot(self) -> HotPath | None:
        """The hot path of the place, derived from the counts."""
        if self.event.hot is not None:
            return self.event.hot
        first_step, first_batch = self.first or self.last
        if _is_regular(self.in_steps, self.last[0] - first_step):
            return HotPath.TRAINING_LOOP
        if _is_regular(self.in_batches, self.last[1] - first_batch):
            return HotPath.LOADER_LOOP
        if self.forward:
            return HotPath.FORWARD
        return HotPath.RECURRING if self.count >= RECURRING and not self._is_of_module else None

    @property
    def _is_of_module(self) -> bool:
        """Whether one call causes as many events as a module has parameters."""
        operand = getattr(self.event, "operand", None)
        return operand is not None and operand.kind is Kind.MODULE


Listener = Callable[[Event, Tally], None]
"""Called with an event, and with the tally that counts it and its like."""


class Recorder:
    """Counts events by a key of place, kind and operands."""

    def __init__(self, progress: Progress, warmup: Warmup | None = None) -> None:
        self._progress = progress
        self.warmup = warmup or Warmup()
        self._tallies: dict[Hashable, Tally] = {}
        self._seen: dict[Hashable, int] = {}
        self._lock = RLock()
        self.listeners: list[Listener] = []
        """Called with each event when it is observed."""
        self.adopters: list[Callable[[Tally], None]] = []
        """Called with each tally that another process has added to."""
        self.refused = False
        """Whether a disallowed event was stopped at its line."""
        self.weight: Callable[[], int] = int
        """How many steps an event stands for now; 0 if all are observed."""
        self.on_new: Callable[[], None] | None = None
        """Called when a key is counted for the first time."""

    def warming_up(self, site: Hashable) -> bool:
        """Whether events at a place are still ignored. Counts the visit."""
        warmup = self.warmup
        if self._progress.steps < warmup.steps or self._progress.seconds < warmup.seconds:
            return True
        if not warmup.occurrences:
            return False
        with self._lock:
            seen = self._seen[site] = self._seen.get(site, 0) + 1
        return seen <= warmup.occurrences

    def count(
        self,
        key: Hashable,
        event: Callable[[], Event],
        seconds: float | None = None,
        size: int | None = None,
        forward: Callable[[], bool] = bool,
    ) -> None:
        """Count one more event. It is only created if the key is new or there are listeners.

        `seconds` is how long the host waited this time, `size` how many bytes were copied.
        """
        with self._lock:
            tally = self._tallies.get(key)
        if tally is None:
            tally = self._first(key, Tally(event(), forward=forward()))
            if self.on_new is not None:
                self.on_new()
        with self._lock:
            tally.count += 1
            weight = self.weight()
            if weight:
                tally.sampled += 1
                tally.unseen += weight - 1
            if seconds is not None:
                tally.seconds = (tally.seconds or 0.0) + seconds
            if size is not None:
                tally.bytes = (tally.bytes or 0) + size
            self._note_progress(tally)
        if self.listeners:
            seen = _measured(event(), seconds)
            for listener in self.listeners:
                listener(seen, tally)

    def tallies(self, complete: Callable[[Tally], Tally] = replace) -> list[Tally]:
        """All tallies, in the order in which they were first counted, with their hot paths.

        `complete` creates the completed copy of each.
        """
        with self._lock:
            known = [complete(replace(tally)) for tally in self._tallies.values()]
        for tally in known:
            tally.event = replace(tally.event, hot=tally.hot)
        return known

    def drain(self) -> list[Tally]:
        """The tallies since the last call, which are removed."""
        with self._lock:
            counted = list(self._tallies.values())
            self._tallies.clear()
        return counted

    def count_others(self, key: Hashable, more: Tally) -> None:
        """Count events like one that has been counted, at other steps and batches."""
        with self._lock:
            known = self._tallies[key]
            _add(known, more)
            known.in_steps += more.in_steps
            known.in_batches += more.in_batches

    def add(self, key: Hashable, tally: Tally) -> None:
        """Add a tally of another process, such as a worker."""
        with self._lock:
            known = self._tallies.setdefault(key, tally)
            if known is not tally:
                _add(known, tally)
                known.in_steps = max(known.in_steps, tally.in_steps)
                known.in_batches = max(known.in_batches, tally.in_batches)
        for adopter in self.adopters:
            adopter(known)

    def _first(self, key: Hashable, tally: Tally) -> Tally:
        with self._lock:
            return self._tallies.setdefault(key, tally)

    def _note_progress(self, tally: Tally) -> None:
        now = self._progress.watched
        if tally.first is None:
            tally.first = tally.last = now
            tally.in_steps = tally.in_batches = 1
        elif tally.last != now:
            tally.in_steps += tally.last[0] != now[0]
            tally.in_batches += tally.last[1] != now[1]
            tally.last = now


def _add(known: Tally, more: Tally) -> None:
    known.count += more.count
    known.seconds = total(known.seconds, more.seconds)
    known.bytes = total(known.bytes, more.bytes)


def kind_of(event: Event) -> Event:
    """The event without what differs from time to time at one place."""
    if isinstance(event, Transfer):
        return event if event.seconds is event.bytes is None else replace(event, seconds=None, bytes=None)
    if isinstance(event, Synchronization) and event.seconds is not None:
        return replace(event, seconds=None)
    return event


def _measured(event: Event, seconds: float | None) -> Event:
    """The event with its waiting time, which is known only afterwards."""
    return replace(event, seconds=seconds) if isinstance(event, (Synchronization, Transfer)) else event


def _is_regular(times: int, over: int) -> bool:
    """Whether an event in so many steps happens in most steps from its first to its last."""
    return (times - 1) * REGULAR > over


def total(left: Number | None, right: Number | None) -> Number | None:
    """The sum of two measurements; None if neither was measured."""
    if left is None or right is None:
        return right if left is None else left
    return left + right
