"""Every rule's examples, through the source observer: what is marked is found, and nothing else."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

import pytest

from devlint.model import Applicability, Confidence, Finding
from devlint.rules import registry
from devlint.rules.base import EXPECTATION, Example, PipelineRule, Rule
from devlint.rules.engine import judge, resolve
from devlint.rules.wording import MAX_MESSAGE
from devlint.source import observe
from devlint.source.observation import Observation

RULES = [
    rule for rule in registry.all_rules() if not isinstance(rule, PipelineRule) and not rule.runtime_only
]
CASES = [
    pytest.param(rule, example, id=f"{rule.code}-{number}")
    for rule in RULES
    for number, example in enumerate(rule.examples, start=1)
    if not example.in_run
]
each_example = pytest.mark.parametrize(("rule", "example"), CASES)
each_fix = pytest.mark.parametrize(
    ("rule", "example"), [case for case in CASES if getattr(case.values[1], "fixed", "")]
)


def written(text: str) -> str:
    """An example as a file."""
    return inspect.cleandoc(text) + "\n"


def bare(text: str) -> str:
    """An example without its markers."""
    return EXPECTATION.sub("", written(text))


def marked(text: str, code: str) -> list[int]:
    """The lines on which an example says that a rule speaks."""
    lines = written(text).splitlines()
    found = {number: EXPECTATION.search(line) for number, line in enumerate(lines, start=1)}
    return [number for number, match in found.items() if match and code in re.split(", ", match[1])]


@cache
def observed(text: str) -> Observation:
    """The events of a text, which several tests give to rules."""
    return observe(text, "example.py")


def findings(text: str, rules: list[Rule[Any]], threshold: Confidence = Confidence.LIKELY) -> list[Finding]:
    """The findings in a text with at least this confidence."""
    seen = observed(text)
    found = resolve(judge(seen.events, rules), seen)
    return [each for each in found if each.confidence.at_least(threshold)]


def repaired(text: str, found: list[Finding], *, unsafe: bool) -> str:
    """The text with the findings' fixes made."""
    wanted = {Applicability.SAFE, Applicability.UNSAFE} if unsafe else {Applicability.SAFE}
    fixes = [each.fix for each in found if each.fix is not None and each.fix.applicability in wanted]
    for edit in sorted((edit for fix in fixes for edit in fix.edits), reverse=True):
        text = text[: edit.start] + edit.content + text[edit.end :]
    return text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_has_two_examples_or_more(rule: Rule[Any]) -> None:
    assert len(rule.examples) >= 2
    assert all(marked(example.bad, rule.code) for example in rule.examples)


@each_example
def test_the_rule_speaks_where_the_bad_code_is_marked(rule: Rule[Any], example: Example) -> None:
    found = findings(bare(example.bad), list(registry.all_rules()), example.confidence)
    assert [each.site.line for each in found if each.code == rule.code] == marked(example.bad, rule.code)
    assert all(len(each.message) <= MAX_MESSAGE for each in found)


@each_example
def test_the_family_says_what_the_bad_code_is_marked_with(rule: Rule[Any], example: Example) -> None:
    family = [other for other in RULES if other.code[:3] == rule.code[:3]]
    found = findings(bare(example.bad), family, example.confidence)
    expected = [(line, code) for code in registry.codes() for line in marked(example.bad, code)]
    assert sorted((each.site.line, each.code) for each in found) == sorted(
        (line, code) for line, code in expected if code[:3] == rule.code[:3]
    )


@each_example
def test_the_family_is_silent_on_the_good_code(rule: Rule[Any], example: Example) -> None:
    family = [other for other in RULES if other.code[:3] == rule.code[:3]]
    assert [
        (each.site.line, each.code) for each in findings(bare(example.good), family, example.confidence)
    ] == []


@each_example
def test_the_good_code_has_no_markers(rule: Rule[Any], example: Example) -> None:
    assert not EXPECTATION.search(example.good), rule.code
    assert not EXPECTATION.search(example.after_fix), rule.code


@each_fix
def test_the_fix_makes_what_the_example_says(rule: Rule[Any], example: Example) -> None:
    text = bare(example.bad)
    everything = findings(text, list(registry.all_rules()), example.confidence)
    found = [each for each in everything if each.code == rule.code]
    assert repaired(text, found, unsafe=example.unsafe) == written(example.after_fix)


@each_fix
def test_a_fix_marked_unsafe_is_not_made_without_being_asked_for(rule: Rule[Any], example: Example) -> None:
    text = bare(example.bad)
    everything = findings(text, list(registry.all_rules()), example.confidence)
    found = [each for each in everything if each.code == rule.code]
    assert (repaired(text, found, unsafe=False) == text) is example.unsafe


@each_fix
def test_after_the_fix_the_rule_has_nothing_to_say(rule: Rule[Any], example: Example) -> None:
    found = findings(written(example.after_fix), list(registry.all_rules()), example.confidence)
    assert [each.site.line for each in found if each.code == rule.code] == []
