"""Every rule is documented under the same headings, and its name and address are its own."""

from __future__ import annotations

import re
from typing import Any

import pytest

from devlint.rules import registry
from devlint.rules.base import EXPECTATION, HEADINGS, Rule

RULES = registry.all_rules()
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@each_rule
def test_every_section_is_there_and_says_something(rule: Rule[Any]) -> None:
    sections = rule.sections()
    assert tuple(sections) == HEADINGS
    assert {heading for heading, text in sections.items() if not text.strip("`-# \n")} == set()


@each_rule
def test_documentation_has_the_headings_once_and_in_order(rule: Rule[Any]) -> None:
    headings = re.findall(r"^## (.+)$", rule.documentation(), flags=re.MULTILINE)
    assert tuple(headings) == HEADINGS


@each_rule
def test_examples_are_shown_without_their_markers(rule: Rule[Any]) -> None:
    sections = rule.sections()
    assert not EXPECTATION.search(rule.documentation())
    assert sections["Example"].startswith("```python\n")
    assert sections["Use instead"].endswith("\n```")


@each_rule
def test_references_are_a_list_with_links_or_sources(rule: Rule[Any]) -> None:
    lines = rule.sections()["References"].splitlines()
    assert lines
    assert all(line.startswith(("-", "  ")) for line in lines)


@each_rule
def test_names_follow_one_pattern(rule: Rule[Any]) -> None:
    assert re.fullmatch(r"DL[1-9]\d\d", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)


def test_links_start_with_the_home_of_devlint(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.url("DL101") is None
    monkeypatch.setattr(registry, "HOME", "https://example.org/devlint")
    assert registry.url("DL101") == "https://example.org/devlint/blob/main/docs/rules/DL101.md"


@each_rule
def test_a_rule_yields_to_rules_that_exist_and_not_to_itself(rule: Rule[Any]) -> None:
    assert rule.code not in rule.yields_to
    assert set(rule.yields_to) <= set(registry.codes())


def test_codes_and_names_are_unique_and_sorted() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes)) == list(registry.codes())
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_what_is_on_by_default_is_known_without_importing_a_rule() -> None:
    assert registry.default_codes() == {rule.code for rule in RULES if rule.enabled}


def test_what_is_reported_by_runs_only_is_known_without_importing_a_rule() -> None:
    assert {rule.code for rule in RULES if rule.runtime_only} == registry.ONLY_IN_A_RUN


def test_an_unknown_code_is_no_rule() -> None:
    assert registry.rule("DL100") is None
    assert registry.rule("") is None


def test_a_rule_is_found_under_its_code() -> None:
    assert all(registry.rule(rule.code) is rule for rule in RULES)
