"""The waits and copies of a run, over time and by place, whether or not a rule reports them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from devlint.model import Site
from devlint.report.amounts import count, duration
from devlint.report.report import Report
from devlint.report.totals import RunTotals, Seen, in_package


class ActKind(Enum):
    """The kinds of waits and copies."""

    WAIT = "wait"
    UPLOAD = "copy to a device"
    DOWNLOAD = "copy to the host"
    BETWEEN = "copy between devices"


class Lane(NamedTuple):
    """A device of a process: one row of a timeline."""

    device: str
    """`cuda:0`; empty if unknown."""
    rank: int | None = None
    """The rank of the process, if several ran a program together."""

    def __str__(self) -> str:
        device = self.device or "unnamed device"
        return device if self.rank is None else f"rank {self.rank}, {device}"


@dataclass(frozen=True, slots=True)
class Act:
    """A wait or a copy at one place, and how often it was seen."""

    kind: ActKind
    site: Site
    operator: str
    """As users know it, in backticks (see `wording.operator`)."""
    operand: str
    """What is copied or waited for, as the program names it; empty if unknown."""
    detail: str
    """Why the host waits, or from where to where."""
    lane: Lane
    seen: Seen
    callers: tuple[Site, ...] = ()
    """The program's own lines that called the place, if it is in an installed package."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An interval in which an act was seen `count` times.

    Times are seconds since the beginning of the process. `seconds` is how long the host waited in the
    interval, if measured. `step` is the number of optimizer steps before it.
    """

    act: int
    """The index of the act."""
    start: float
    end: float
    step: int
    seconds: float | None
    bytes: int | None
    count: int


class Stage(NamedTuple):
    """A step in the history of a value."""

    text: str
    device: str
    site: Site | None


class OperandOrigin(NamedTuple):
    """The history of an operand's device."""

    operand: str
    """The operand and its device: `x` is on cuda:0."""
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A run, as pages and trace viewers show it."""

    report: Report
    title: str
    """The program that ran."""
    torch: str
    """The version of torch; empty if unknown."""
    acts: Sequence[Act]
    moments: Sequence[Moment]
    """In the order of time."""
    origins: Sequence[Sequence[OperandOrigin]]
    """For each finding of the report, in the report's order."""
    unrun: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The lines with code that were not executed, by file; empty if unknown."""
    resolution: float = 0.0
    """The length in seconds of the intervals into which moments were merged; 0 if none were."""
    began: float | None = None
    """The start of the earliest process, in seconds of the Unix clock."""

    @property
    def is_timed(self) -> bool:
        """Whether the waiting time of the host was measured, which is impossible on simulated devices."""
        return any(act.seen.seconds is not None for act in self.acts)

    @property
    def untold(self) -> int:
        """How many waits and copies were counted without a moment: in steps that were not observed, and in
        worker processes."""
        counted = sum(act.seen.count for act in self.acts)
        return max(counted - self._told, 0)

    @property
    def notes(self) -> Iterator[str]:
        """Notes on what the moments do not show."""
        totals = self.report.run or RunTotals()
        if totals.doubt and not self.report.shown:
            yield totals.doubt
        yield from map(in_package, totals.folded)
        yield from totals.remarks
        if self.untold:
            all_ = count(self._told + self.untold, "wait or copy", "waits and copies")
            yield (
                f"the timeline shows {self._told:,} of {all_}: the others were only counted, in steps that"
                " were not observed or in worker processes"
            )
        if self.resolution:
            exact = duration(self.resolution)
            yield f"the timeline is exact to {exact}: there were too many events to keep each"

    @property
    def _told(self) -> int:
        """How many waits and copies have moments."""
        return sum(moment.count for moment in self.moments)
