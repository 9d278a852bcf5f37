"""That the page of accuracy, the rules and the verdicts say the same."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from devlint.rules import registry
from devlint.rules.measured import MEASURED
from tests.benchmarks.precision import FURTHER_SAMPLES, PAGE, Place, Verdict, report, verdicts

TEXT = PAGE.read_text(encoding="utf-8")
VERDICTS = verdicts(TEXT)
SUMMARY = re.compile(
    r"^\| \[(DL\d+)\]\(rules/DL\d+\.md\) \| [\w-]+ \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE
)


def test_the_rules_say_what_was_read() -> None:
    read = Counter(place.code for place in VERDICTS)
    accepted = _of(VERDICTS, Verdict.WORTH_A_FIX)
    assert {code: (read[code], accepted[code]) for code in read if code in registry.codes()} == {
        code: (measured.read, measured.accepted) for code, measured in MEASURED.items()
    }


def test_the_summary_adds_up() -> None:
    rows = {code: (int(read), int(accepted)) for code, _, read, accepted in SUMMARY.findall(TEXT)}
    assert rows == {code: (measured.read, measured.accepted) for code, measured in MEASURED.items()}
    section = next(part for part in TEXT.split("\n## ") if part.startswith("What was on by default"))
    on = [MEASURED[code] for code, *_ in SUMMARY.findall(section)]
    read, accepted = sum(measured.read for measured in on), sum(measured.accepted for measured in on)
    assert f"| all | | {read} | {read} | {accepted} |" in TEXT
    assert f"That is {accepted / read:.0%}".replace("%", " %") in TEXT


@pytest.mark.parametrize("sample", FURTHER_SAMPLES)
def test_a_further_sample_adds_up(sample: str) -> None:
    page = FURTHER_SAMPLES[sample]
    of_sample = verdicts(page.read_text(encoding="utf-8"))
    counts = {
        "": Counter(place.code for place in of_sample),
        "worth a fix": _of(of_sample, Verdict.WORTH_A_FIX),
        "true": _of(of_sample, Verdict.TRUE),
    }
    header, *rows = _table(page.name)
    # What is found today stands last, behind what was said at first.
    first = max(at for at, name in enumerate(header) if name not in counts)
    stated = {code: [int(cell or 0) for cell in cells[first - 1 :]] for code, *cells in rows}
    names = ["", *header[first + 1 :]]
    expected = {code: [counts[name][code] for name in names] for code in counts[""]}
    expected["all"] = [counts[name].total() for name in names]
    assert {code: numbers for code, numbers in stated.items() if numbers[0]} == expected


def _of(read: dict[Place, Verdict], verdict: Verdict) -> Counter[str]:
    return Counter(place.code for place, said in read.items() if said is verdict)


def _table(page: str) -> list[list[str]]:
    """The cells of the table in the section that leads to a page."""
    section = next(part for part in re.split(r"^#+ ", TEXT, flags=re.MULTILINE) if f"({page})" in part)
    lines = (line for line in section.splitlines() if re.match(r"\| (rule|DL\d+|all) \|", line))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_what_nobody_has_read_is_listed() -> None:
    known, unread = Place("DL102", "pack/a.py", 3), Place("DL102", "pack/b.py", 4)
    printed = report({known, unread}, {known: Verdict.WORTH_A_FIX})
    assert "unread: DL102 pack/b.py:4" in printed
    assert "1 (100%)" in printed
