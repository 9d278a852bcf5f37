"""Prints the tables of docs/accuracy.md: `python -m tests.benchmarks.precision.tables`."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from devlint.rules import registry
from tests.benchmarks.precision.readings import UNSEEN, Reading, Verdict, read_all

FIRST_READINGS = Path(__file__).with_name("first_readings.tsv")
FAMILIES = ("DL1", "DL2", "DL3", "DL4")


@dataclass(frozen=True, slots=True)
class FirstReading:
    """The verdicts on a rule's findings in a sample of packages that were unknown before."""

    sample: str
    rule: str
    read: int
    worth_a_fix: int
    true: int | None
    """The number of further findings that are true and harmless; not counted up to the eighth sample."""


def first_readings() -> list[FirstReading]:
    """Every row of `first_readings.tsv`."""
    with FIRST_READINGS.open(encoding="utf-8", newline="") as file:
        return [
            FirstReading(
                row["sample"],
                row["rule"],
                int(row["read"]),
                int(row["worth_a_fix"]),
                int(row["true"]) if row["true"] else None,
            )
            for row in csv.DictReader(file, dialect="excel-tab")
        ]


def by_rule(readings: Sequence[Reading]) -> str:
    """The accuracy of each rule on the unseen samples."""
    unseen = [reading for reading in readings if reading.sample in UNSEEN]
    rows = [
        (f"[{code}](rules/{code}.md)", _name(code), *_counts(r for r in unseen if r.rule == code))
        for code in sorted({reading.rule for reading in unseen})
    ]
    return _table(("rule", "", "findings read", "true"), rows)


def by_confidence(readings: Sequence[Reading]) -> str:
    """The accuracy of family DL1 on each unseen sample."""
    rows = _by_confidence([each for each in readings if each.rule.startswith("DL1")])
    return _table(("sample", "confidence", "DL1 findings", "true"), rows)


def drawn(readings: Sequence[Reading]) -> str:
    """The accuracy of the drawn findings of other families on unseen samples."""
    rows = _by_confidence([each for each in readings if not each.rule.startswith("DL1")])
    return _table(("sample", "confidence", "drawn findings", "true"), [row for row in rows if row[2]])


def _by_confidence(readings: Sequence[Reading]) -> list[tuple[object, ...]]:
    return [
        (
            sample,
            confidence,
            *_counts(r for r in readings if (r.sample, r.confidence) == (sample, confidence)),
        )
        for sample in UNSEEN
        for confidence in ("certain", "likely")
    ]


def at_first_sight(first: Sequence[FirstReading]) -> str:
    """The share of findings worth a fix on each earlier sample, by family, when it was read."""
    samples = list(dict.fromkeys(each.sample for each in first))
    rows = [
        (sample, *(_worth(e for e in first if e.sample == sample and e.rule.startswith(f)) for f in FAMILIES))
        for sample in samples
    ]
    return _table(("sample", *FAMILIES), rows)


def of_sample(sample: str, readings: Sequence[Reading]) -> str:
    """The readings of each rule on one sample, in the state whose findings `readings.tsv` lists."""
    found = [reading for reading in readings if reading.sample == sample]
    verdicts = [verdict for verdict in Verdict if any(reading.verdict is verdict for reading in found)]
    rows = [
        (code, *(sum(r.verdict is verdict for r in found if r.rule == code) for verdict in verdicts))
        for code in sorted({reading.rule for reading in found})
    ]
    return _table(("rule", *(verdict.value for verdict in verdicts)), rows)


def _name(code: str) -> str:
    rule = registry.rule(code)
    return rule.name if rule else ""


def _counts(readings: Iterable[Reading]) -> tuple[int, int]:
    verdicts = [reading.verdict for reading in readings]
    return len(verdicts), sum(verdict.right for verdict in verdicts)


def _worth(first: Iterable[FirstReading]) -> str:
    """`38 of 100`, and how many more are true where that was counted."""
    rows = list(first)
    if not rows:
        return ""
    share = f"{sum(row.worth_a_fix for row in rows)} of {sum(row.read for row in rows)}"
    counted = [row.true for row in rows if row.true is not None]
    return f"{share}, {sum(counted)} more true" if counted else share


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n".replace("|  |", "| |") for line in lines)


def main() -> None:
    """Print all tables."""
    readings = read_all()
    sections = [
        ("Unseen packages, by rule", by_rule(readings)),
        ("Unseen packages, by confidence", by_confidence(readings)),
        ("Unseen packages, other families", drawn(readings)),
        ("Earlier samples, worth a fix at first sight", at_first_sight(first_readings())),
    ]
    samples = dict.fromkeys(reading.sample for reading in readings)
    sections += [(f"Sample {sample}", of_sample(sample, readings)) for sample in samples]
    sys.stdout.write("\n".join(f"## {title}\n\n{table}" for title, table in sections))


if __name__ == "__main__":
    main()
