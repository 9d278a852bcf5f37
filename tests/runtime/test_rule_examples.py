"""The examples of the rules that only a run can judge, run on simulated devices."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import devlint
from devlint.rules import registry
from devlint.rules.base import EXPECTATION, Example, Rule

RULES = [
    rule
    for rule in registry.all_rules()
    if rule.runtime_only or any(example.in_run for example in rule.examples)
]
CASES = [
    pytest.param(rule, example, id=f"{rule.code}-{number}")
    for rule in RULES
    for number, example in enumerate(rule.examples, start=1)
    if rule.runtime_only or example.in_run
]
each_example = pytest.mark.parametrize(("rule", "example"), CASES)
knows_columns = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 tells no two calls of a line apart"
)


def marked(text: str) -> list[tuple[int, str]]:
    """The lines on which an example says that rules speak, with their codes."""
    lines = inspect.cleandoc(text).splitlines()
    found = {number: EXPECTATION.search(line) for number, line in enumerate(lines, start=1)}
    return [(number, code) for number, match in found.items() if match for code in re.split(", ", match[1])]


def seen(text: str, folder: Path, family: str) -> list[tuple[int, str]]:
    """The lines on which the rules of a family speak when a program runs, with their codes."""
    program = folder / "example.py"
    program.write_text(EXPECTATION.sub("", inspect.cleandoc(text)) + "\n", encoding="utf-8")
    code = compile(program.read_text(encoding="utf-8"), str(program), "exec")
    with devlint.simulate("cuda"), devlint.guard() as guard:
        exec(code, {"__name__": "__main__"})
    return [
        (finding.site.line, finding.code) for finding in guard.findings if finding.code.startswith(family)
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_has_two_examples_or_more(rule: Rule[Any]) -> None:
    assert len(rule.examples) >= 2


@knows_columns
@each_example
def test_the_rule_speaks_where_the_bad_program_is_marked(
    rule: Rule[Any], example: Example, tmp_path: Path
) -> None:
    found = seen(example.bad, tmp_path, rule.code[:3])
    assert rule.code in {code for _, code in found}
    assert sorted(found) == marked(example.bad)


@knows_columns
@each_example
def test_the_family_is_silent_on_the_good_program(rule: Rule[Any], example: Example, tmp_path: Path) -> None:
    assert seen(example.good, tmp_path, rule.code[:3]) == []
    assert marked(example.good) == []
