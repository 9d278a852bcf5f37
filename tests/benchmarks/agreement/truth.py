"""The results of one run of a program on simulated devices, and their format on disk."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

REGULAR = 3
"""Events at every third batch or step, or more often, belong to the loop; rarer events do not."""
TIMES = 3
"""Events that occurred less often than this are not known to recur."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file of the program."""

    path: str
    """Relative to the root of the program's repository."""
    first: int
    last: int

    def overlaps(self, other: Place) -> bool:
        """Whether the two have a line in common."""
        return self.path == other.path and self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class Found:
    """A finding of the run or of the check: a rule and a place."""

    code: str
    place: Place
    message: str
    related: tuple[Place, ...] = ()
    count: int = 0
    """The number of observations; 0 for a finding of the check."""
    confidence: str = ""
    """The confidence of the check; empty for a run."""


@dataclass(frozen=True, slots=True)
class Seen:
    """All events of one kind at one place."""

    kind: str
    """`Synchronization`, `Transfer`, `Move` or `Mismatch`, as in the trace."""
    place: Place
    count: int
    already: int
    """The number of these that were waits immediately after another wait, when the device was idle."""
    gap: float | None
    """The median number of batches, or else steps of one optimizer, from one time to the next; None if there
    was only one."""
    forward: bool
    """Whether it happened inside the forward of a module."""

    @property
    def hot(self) -> bool:
        """Whether it recurs from batch to batch or from step to step."""
        return self.count >= TIMES and self.gap is not None and self.gap <= REGULAR


@dataclass(frozen=True, slots=True)
class Truth:
    """The results of a run."""

    ended: str
    """Empty if the program ended or was stopped at its limit; otherwise how it failed."""
    seconds: float
    steps: int
    batches: int
    found: tuple[Found, ...]
    seen: tuple[Seen, ...]
    lines: dict[str, dict[int, int]]
    """The number of executions of each line, by file."""

    @property
    def tells(self) -> bool:
        """Whether it is conclusive: the program ended, and used a device."""
        return not self.ended and any(seen.kind != "Mismatch" for seen in self.seen)

    def executed(self, place: Place) -> bool:
        """Whether any of these lines was."""
        counts = self.lines.get(place.path, {})
        return any(line in counts for line in range(place.first, place.last + 1))

    @property
    def files(self) -> list[str]:
        """The files of the program with executed lines."""
        return sorted(path for path, counts in self.lines.items() if counts)


def write(truth: Truth, path: Path) -> None:
    """Keep it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(truth)), "utf-8")


def read(path: Path) -> Truth:
    """The stored truth."""
    kept = json.loads(path.read_text("utf-8"))
    return Truth(
        **{
            **kept,
            "found": tuple(_found(row) for row in kept["found"]),
            "seen": tuple(Seen(**{**row, "place": Place(**row["place"])}) for row in kept["seen"]),
            "lines": {
                file: {int(line): count for line, count in counts.items()}
                for file, counts in kept["lines"].items()
            },
        }
    )


def _found(row: dict[str, object]) -> Found:
    places = row["related"]
    assert isinstance(places, list)
    place = row["place"]
    assert isinstance(place, dict)
    return Found(**{**row, "place": Place(**place), "related": tuple(Place(**one) for one in places)})  # type: ignore[arg-type]
