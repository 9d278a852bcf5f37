"""The verdicts of readers on findings in released packages, one row of `readings.tsv` for each finding."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

FILE = Path(__file__).with_name("readings.tsv")
UNSEEN = (
    "released-254",
    "released-88",
    "released-93",
    "released-56",
    "released-97",
    "released-68",
    "released-57",
    "released-28",
    "released-80",
    "released-80b",
    "released-80c",
    "released-80d",
    "snapshots-40",
    "snapshots-32",
    "snapshots-8",
    "repositories-30",
    "repositories-28",
    "repositories-24",
    "repositories-20",
    "repositories-21",
    "libraries-22",
    "libraries-11",
    "libraries-14",
    "libraries-16",
)
"""The samples on which the present check was measured before its findings were read.

They are drawn from the packages of the samples `ninth`, `tenth` and `eleventh`; `released-57` and
`released-28` are packages of `twelfth` and `thirteenth`, and `released-80`, `released-80b`, `released-80c`
and `released-80d` are `fourteenth` to `seventeenth`. `snapshots-40`, `snapshots-32` and `snapshots-8` are
packages as they stand in their repositories, which files of these names list. All findings of family DL1 were
read, and, chosen at random, 60 findings of DL2 and DL3 of the first sample, 95 of DL2 to DL4 of
`released-97`, 110 of `released-68`, of which 60 are `certain` and 50 are `likely`, 40 of `released-57`, 60 of
`released-80c`, beside all its `certain` ones, 45 `likely` and all `certain` ones of `released-80d`, and 40
`likely` and all `certain` ones of each of `snapshots-40` and `snapshots-32`, and all of `snapshots-8`.
`repositories-30` are other repositories that many people use, programs among them, chosen by a reader; beside
all findings of DL1, 150 `certain` and 30 `likely` ones of DL2 to DL4 were drawn. `repositories-28` are
another 28, chosen in the same way, with 100 `certain` and 40 `likely` ones, and `repositories-24` and
`repositories-20` another 24 and 20, with 60 and 40 each. `repositories-21` are another 20, and `libraries-22`
22 libraries, with 45 and 40 each. `libraries-11` are 11 large libraries or parts of them, with 18 and 25, and
`libraries-14` and `libraries-16` 14 and 16 libraries, with 45 and 40 each. What a reader could not tell
counts as wrong: five findings of `libraries-16`.
"""


class Verdict(Enum):
    """The verdict of a reader on a finding."""

    WORTH_A_FIX = "worth a fix"
    """It is true, and a maintainer who knows PyTorch would change the code."""
    TRUE = "true"
    """It is as the finding says. Beside `worth a fix`: it does no harm today."""
    NOT_WORTH_A_FIX = "not worth a fix"
    """It is wrong, or true and harmless: up to the eighth sample, readers did not tell the two apart."""
    WRONG = "wrong"

    @property
    def right(self) -> bool:
        """Whether the finding is known to be true."""
        return self in (Verdict.WORTH_A_FIX, Verdict.TRUE)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A finding by its rule and place, with a path that starts with the package."""

    code: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A finding that was read."""

    sample: str
    package: str
    version: str
    rule: str
    confidence: str
    """`certain` or `likely`; empty for samples that were read before findings had a confidence."""
    file: str
    line: int
    verdict: Verdict
    by_run: bool
    """Whether a run of the package, or of a part of it, confirmed or refuted the finding."""
    cause: str
    """Of a wrong finding in the samples of `UNSEEN`: what the check did not know, as a key."""
    reason: str

    @property
    def place(self) -> Place:
        """Where `fetch_corpus` puts it."""
        return Place(self.rule, f"{self.package}/{self.file}", self.line)


def read_all() -> list[Reading]:
    """Every reading, in the order of the file.

    Raises:
        ValueError: a row has a verdict that is none, or a line that is no number.
    """
    with FILE.open(encoding="utf-8", newline="") as file:
        return [_reading(row) for row in csv.DictReader(file, dialect="excel-tab")]


def _reading(row: dict[str, str]) -> Reading:
    return Reading(
        sample=row["sample"],
        package=row["package"],
        version=row["version"],
        rule=row["rule"],
        confidence=row["confidence"],
        file=row["file"],
        line=int(row["line"]),
        verdict=Verdict(row["verdict"]),
        by_run=row["by_run"] == "yes",
        cause=row["cause"],
        reason=row["reason"],
    )
