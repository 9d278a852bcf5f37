"""What was seen, counted by place: one tally for what recurs, however often."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TypeVar

from devlint.model import Event, HotPath, Kind, Observed, Synchronization, Transfer
from devlint.runtime.recording.progress import Progress

RECURRING = 10
"""From this many times on, what happens at a place outside of any known loop counts as a hot path."""
REGULAR = 10
"""What comes more often than at one step in so many belongs to the loop; what is rarer is logging."""
Listener = Callable[[Event], None]


Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Warmup:
    """What is not yet counted: the first times at each place, the first seconds, the first optimizer
    steps."""

    occurrences: int = 0
    seconds: float = 0.0
    steps: int = 0


@dataclass(slots=True)
class Tally:
    """One thing at one place, and how often it was seen.

    `seconds` is how long the host waited in all, where that was measured; `bytes` how much was copied in all.
    """

    event: Event
    count: int = 0
    seconds: float | None = None
    bytes: int | None = None
    forward: bool = False
    """Whether it was first seen inside the forward of a module."""
    in_steps: int = 0
    """In how many of the optimizer steps that were watched it was seen."""
    in_batches: int = 0
    """Between how many batches of a data loader it was seen."""
    first: tuple[int, int] | None = None
    """How many steps and batches had been watched when it was first seen."""
    last: tuple[int, int] = (0, 0)
    sampled: int = 0
    """How many of `count` were seen where some steps only are watched."""
    unseen: int = 0
    """How many more there were by the weights of the steps in which it was seen."""
    ranks: dict[int, Observed] = field(default_factory=dict)
    """What was measured on each rank of a distributed program, where several were merged."""
    estimated: bool = False
    """Whether the numbers are estimated from some steps."""

    @property
    def hot(self) -> HotPath | None:
        """The hot path that the place lies on, as the counts show it."""
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
        """Whether one call makes as many events as a module has parameters."""
        operand = getattr(self.event, "operand", None)
        return operand is not None and operand.kind is Kind.MODULE


class Recorder:
    """Counts events by a key that says what, where and of which operands."""

    def __init__(self, progress: Progress, warmup: Warmup | None = None) -> None:
        self._progress = progress
        self.warmup = warmup or Warmup()
        self._tallies: dict[Hashable, Tally] = {}
        self._seen: dict[Hashable, int] = {}
        self._lock = Lock()
        self.listeners: list[Listener] = []
        """Called with each event as it is seen."""
        self.adopters: list[Callable[[Tally], None]] = []
        """Called with each tally that was counted elsewhere."""
        self.refused = False
        """Whether something that was not allowed was stopped at its line."""
        self.weight: Callable[[], int] = int
        """For how many steps stands what is seen now; 0 where all are watched."""
        self.on_new: Callable[[], None] | None = None
        """Called when something is counted for the first time."""

    def warming_up(self, site: Hashable) -> bool:
        """Whether what happens at a place does not count yet. Counts the visit."""
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
        """Count one more. The event is made when the key is new, and whenever somebody listens.

        `seconds` is how long the host waited and `size` how many bytes were copied, this time.
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
                listener(seen)

    def tallies(self, complete: Callable[[Tally], Tally] = replace) -> list[Tally]:
        """All that was counted, in the order in which it was first seen, with its hot path.

        `complete` makes of a copy of each what it stands for.
        """
        with self._lock:
            known = [complete(replace(tally)) for tally in self._tallies.values()]
        for tally in known:
            tally.event = replace(tally.event, hot=tally.hot)
        return known

    def drain(self) -> list[Tally]:
        """What was counted since the last time, which is forgotten here."""
        with self._lock:
            counted = list(self._tallies.values())
            self._tallies.clear()
        return counted

    def add(self, key: Hashable, tally: Tally) -> None:
        """Take over what was counted elsewhere, as in a worker process."""
        for adopter in self.adopters:
            adopter(tally)
        with self._lock:
            known = self._tallies.get(key)
            if known is None:
                self._tallies[key] = tally
                return
            known.count += tally.count
            known.in_steps = max(known.in_steps, tally.in_steps)
            known.in_batches = max(known.in_batches, tally.in_batches)
            known.seconds = total(known.seconds, tally.seconds)
            known.bytes = total(known.bytes, tally.bytes)

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


def _measured(event: Event, seconds: float | None) -> Event:
    """The event with how long the host waited, which is known only after it."""
    return replace(event, seconds=seconds) if isinstance(event, (Synchronization, Transfer)) else event


def _is_regular(times: int, over: int) -> bool:
    """Whether what was seen at so many steps comes with most of the steps from its first to its last."""
    return (times - 1) * REGULAR > over


def total(left: Number | None, right: Number | None) -> Number | None:
    """The sum of what was measured; None where nothing was."""
    if left is None or right is None:
        return right if left is None else left
    return left + right
