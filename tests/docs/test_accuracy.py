"""That the page of accuracy, the rules and the verdicts say the same."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from devlint.rules import registry
from devlint.rules.base import Rule
from devlint.rules.measured import MEASURED
from tests.benchmarks.precision import FURTHER_SAMPLES, PAGE, Place, report, verdicts

TEXT = PAGE.read_text(encoding="utf-8")
VERDICTS = verdicts(TEXT)
SUMMARY = re.compile(
    r"^\| \[(DL\d+)\]\(rules/DL\d+\.md\) \| [\w-]+ \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE
)


def test_the_rules_say_what_was_read() -> None:
    read = Counter(place.code for place in VERDICTS)
    accepted = Counter(place.code for place, worth in VERDICTS.items() if worth)
    assert {code: (read[code], accepted[code]) for code in read} == {
        code: (measured.read, measured.accepted) for code, measured in MEASURED.items()
    }


def test_the_summary_adds_up() -> None:
    rows = {code: (int(read), int(accepted)) for code, _, read, accepted in SUMMARY.findall(TEXT)}
    assert rows == {code: (measured.read, measured.accepted) for code, measured in MEASURED.items()}
    on = [MEASURED[rule.code] for rule in registry.all_rules() if rule.enabled and rule.code in MEASURED]
    read, accepted = sum(measured.read for measured in on), sum(measured.accepted for measured in on)
    assert f"| all | | {read} | {read} | {accepted} |" in TEXT
    assert f"That is {accepted / read:.0%}".replace("%", " %") in TEXT


@pytest.mark.parametrize("sample", FURTHER_SAMPLES)
def test_a_further_sample_adds_up(sample: str) -> None:
    page = FURTHER_SAMPLES[sample]
    section = next(part for part in re.split(r"^#+ ", TEXT, flags=re.MULTILINE) if f"({page.name})" in part)
    of_sample = verdicts(page.read_text(encoding="utf-8"))
    read = Counter(place.code for place in of_sample)
    worth = Counter(place.code for place, accepted in of_sample.items() if accepted)
    stated = re.findall(r"^\| (DL\d+) \| (?:\d+ \| \d* ?\| )?(\d+) \| (\d*) ?\|$", section, re.MULTILINE)
    assert {code: (int(n), int(m or 0)) for code, n, m in stated if n != "0"} == {
        code: (read[code], worth[code]) for code in read
    }
    total = rf"^\| all \| (?:\d+ \| \d+ \| )?{read.total()} \| {worth.total()} \|$"
    assert re.search(total, section, re.MULTILINE)


@pytest.mark.parametrize(
    "rule", [rule for rule in registry.all_rules() if rule.enabled], ids=lambda rule: rule.code
)
def test_what_is_on_by_default_is_right_nine_times_of_ten(rule: Rule[Any]) -> None:
    measured = MEASURED.get(rule.code)
    assert measured is None or measured.accepted >= 0.9 * measured.read


def test_what_nobody_has_read_is_listed() -> None:
    known, unread = Place("DL102", "pack/a.py", 3), Place("DL102", "pack/b.py", 4)
    printed = report({known, unread}, {known: True})
    assert "unread: DL102 pack/b.py:4" in printed
    assert "1 (100%)" in printed
