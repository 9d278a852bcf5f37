"""What a run did between host and devices, over time and by place, whether or not a rule reports it."""

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
    """For a place in an installed package the program's own lines that led there."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When an act was seen: `count` times from `start` to `end`.

    Times are seconds, `start` and `end` since the beginning of its process; `seconds` is how long the host
    waited in between, where that was measured. `step` is how many optimizer steps there had been.
    """

    act: int
    """Its place among the acts."""
    start: float
    end: float
    step: int
    seconds: float | None
    bytes: int | None
    count: int


class Stage(NamedTuple):
    """Something that happened to a value on its way."""

    text: str
    device: str
    site: Site | None


class OperandOrigin(NamedTuple):
    """How an operand came to lie where it does."""

    operand: str
    """`x` is on cuda:0."""
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A run, as a page or a viewer shows it."""

    report: Report
    title: str
    """What ran."""
    torch: str
    """The version of torch; empty where nobody says."""
    acts: Sequence[Act]
    moments: Sequence[Moment]
    """By time."""
    origins: Sequence[Sequence[OperandOrigin]]
    """For each finding of the report, in its order."""
    unrun: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The lines with code that were not run, by file; empty where nobody says."""
    resolution: float = 0.0
    """To how many seconds moments are told; 0 where each is told."""
    began: float | None = None
    """When the earliest process began, in seconds of the Unix clock."""

    @property
    def is_timed(self) -> bool:
        """Whether it was measured how long the host waited; on simulated devices, it cannot be."""
        return any(act.seen.seconds is not None for act in self.acts)

    @property
    def untold(self) -> int:
        """How many waits and copies were counted, and not seen one by one: in steps that were not watched,
        and in worker processes."""
        counted = sum(act.seen.count for act in self.acts)
        return max(counted - self._told, 0)

    @property
    def notes(self) -> Iterator[str]:
        """What is not shown one by one, what was not seen, and what is not known of what was."""
        totals = self.report.run or RunTotals()
        if totals.doubt and not self.report.shown:
            yield totals.doubt
        yield from map(in_package, totals.folded)
        yield from totals.remarks
        if self.untold:
            all_ = count(self._told + self.untold, "wait or copy", "waits and copies")
            yield (
                f"the timeline shows {self._told:,} of {all_}: the others were only counted, in steps that"
                " were not watched or in worker processes"
            )
        if self.resolution:
            exact = duration(self.resolution)
            yield f"the timeline is exact to {exact}: there were too many events to keep each"

    @property
    def _told(self) -> int:
        """How many waits and copies there are moments of."""
        return sum(moment.count for moment in self.moments)
