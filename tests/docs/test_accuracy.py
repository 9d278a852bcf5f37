"""That the pages of accuracy, the rules and the readings say the same."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from devlint.rules.measured import MEASURED
from tests.benchmarks.fetch_corpus import SAMPLES, pins
from tests.benchmarks.precision import tables
from tests.benchmarks.precision.__main__ import report
from tests.benchmarks.precision.readings import UNSEEN, Place, Reading, Verdict, read_all

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "accuracy.md").read_text(encoding="utf-8")
READINGS = read_all()


def test_the_rules_state_the_figures_of_unseen_packages() -> None:
    unseen = [reading for reading in READINGS if reading.sample in UNSEEN]
    read = Counter(reading.rule for reading in unseen)
    true = Counter(reading.rule for reading in unseen if reading.verdict.right)
    assert {code: (read[code], true[code]) for code in read} == {
        code: (measured.read, measured.true) for code, measured in MEASURED.items()
    }


@pytest.mark.parametrize(
    "table",
    [
        tables.by_rule(READINGS),
        tables.by_confidence(READINGS),
        tables.drawn(READINGS),
        tables.at_first_sight(tables.first_readings()),
        tables.of_sample("first", READINGS),
    ],
    ids=["by rule", "by confidence", "drawn", "at first sight", "first sample"],
)
def test_the_page_has_the_table(table: str) -> None:
    assert table in PAGE, "print it anew: python -m tests.benchmarks.precision.tables"


@pytest.mark.parametrize("sample", UNSEEN)
@pytest.mark.parametrize("page", ["accuracy.md", "agreement.md"])
def test_the_totals_of_unseen_packages_are_those_of_the_readings(sample: str, page: str) -> None:
    found = [each for each in READINGS if each.sample == sample and each.rule.startswith("DL1")]
    true = sum(reading.verdict.right for reading in found)
    assert f"| {len(found)} | {true} | {len(found) - true} |" in (DOCS / page).read_text(encoding="utf-8")


def test_findings_of_later_samples_were_found_at_first_sight() -> None:
    """Up to the fourth sample, the readings are those of a later state, which found others."""
    at_first = {(each.sample, each.rule): each.read for each in tables.first_readings()}
    of_rules = Counter((each.sample, each.rule) for each in READINGS)
    for (sample, rule), read in of_rules.items():
        if sample in SAMPLES[4:]:
            assert read <= at_first[sample, rule], (sample, rule)


@pytest.mark.parametrize("sample", SAMPLES)
def test_packages_have_the_versions_that_are_pinned(sample: str) -> None:
    pinned = {_canonical(name): version for name, _, version in (pin.partition("==") for pin in pins(sample))}
    for reading in READINGS:
        if reading.sample == sample:
            assert reading.version == pinned[_canonical(reading.package)], reading


def _canonical(name: str) -> str:
    return name.replace("-", "_")


def test_wrong_findings_of_unseen_packages_have_a_cause() -> None:
    assert [r for r in READINGS if bool(r.cause) is not _needs_cause(r)] == []


def _needs_cause(reading: Reading) -> bool:
    return reading.sample in UNSEEN and reading.verdict is Verdict.WRONG


def test_what_nobody_has_read_is_listed() -> None:
    known, unread = Place("DL102", "pack/a.py", 3), Place("DL102", "pack/b.py", 4)
    printed = report({known, unread}, {known: Verdict.WORTH_A_FIX})
    assert "unread: DL102 pack/b.py:4" in printed
    assert "1 (100%)" in printed
