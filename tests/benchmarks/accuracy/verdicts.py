"""The verdict of a reader on each planting: whether the changed file has a bug."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tests.benchmarks.accuracy.kinds import plantings
from tests.benchmarks.accuracy.planting import Planting, Source

PAGE = Path(__file__).with_name("verdicts.tsv")


class Verdict(Enum):
    """The effect on the program if its inputs and modules are on an accelerator."""

    BUG = "bug"
    """It raises, its result is on the wrong device, or a move is dropped."""
    COPY = "copy"
    """It computes the same, and copies from the host each time."""
    NONE = "none"
    """Nothing changes, or it has an effect only if a caller mixes devices."""


@dataclass(frozen=True, slots=True, order=True)
class Read:
    """A planting that was read."""

    path: str
    line: int
    column: int
    kind: str
    verdict: Verdict
    why: str

    def planted_in(self, text: str) -> Planting:
        """The planting itself.

        Raises:
            LookupError: there is none; the file is not the one that was read.
        """
        place = (self.kind, self.line, self.column)
        for planting in plantings(Source(text)):
            if (planting.kind, planting.line, planting.column) == place:
                return planting
        raise LookupError(f"{self.path}:{self.line} is not what was read")


def read_all() -> list[Read]:
    """Every planting that was read, in the order of the page."""
    with PAGE.open(encoding="utf-8", newline="") as page:
        return list(_rows(csv.reader(page, dialect="excel-tab")))


def _rows(rows: Iterable[list[str]]) -> Iterator[Read]:
    for place, kind, verdict, why in rows:
        path, line, column = place.rsplit(":", 2)
        yield Read(path, int(line), int(column), kind, Verdict(verdict), why)
