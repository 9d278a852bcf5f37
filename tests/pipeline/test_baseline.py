"""Findings held against a baseline: which one is new where several are alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from devlint.model import Finding, Related, Severity, Site
from devlint.model.fingerprint import Fingerprint
from devlint.pipeline.selection.baseline import split
from devlint.project.baseline import text_of
from devlint.report import SourceText
from devlint.report.fingerprint import fingerprint

SOURCE = SourceText("made_on_host()\nmade_elsewhere()\nuse(x)\nuse(x)\n")


def at(line: int, *related: int, code: str = "DL101") -> Finding:
    def site(number: int) -> Site:
        return Site("a.py", number, 1, number, 2)

    notes = tuple(Related(site(number), "made here") for number in related)
    return Finding(code, "bug", "a bug", site(line), Severity.ERROR, notes)


def held(*findings: Finding) -> Counter[Fingerprint]:
    return Counter(fingerprint(finding, SOURCE) for finding in findings)


def test_the_lines_that_lead_there_tell_like_findings_apart() -> None:
    old, new = at(4, 1), at(3, 2)
    assert split([new, old], held(old), SOURCE)[:2] == ([new], [old])


def test_where_these_lines_have_changed_it_is_the_same_finding() -> None:
    old, now = at(3, 1), at(3, 2)
    result = split([now], held(old), SOURCE)
    assert (result.new, result.known) == ([], [now])
    assert not result.left


def test_where_they_stand_does_not_matter() -> None:
    before = at(3, 1)
    moved = replace(before, site=replace(before.site, line=4, end_line=4, function="other"))
    assert split([moved], held(before), SOURCE).known == [moved]


def test_what_is_left_is_gone() -> None:
    assert split([], held(at(3), at(4)), SOURCE).left == held(at(3), at(4))


findings = st.builds(at, st.integers(1, 4), st.integers(1, 2), code=st.sampled_from(["DL101", "DL102"]))


@given(st.lists(findings, max_size=8), st.lists(findings, max_size=8))
def test_as_many_are_known_as_are_held_with_the_same_code_and_text(
    now: list[Finding], before: list[Finding]
) -> None:
    def kinds(each: list[Finding]) -> Counter[tuple[str, str]]:
        return Counter((code, text) for code, text, _ in (fingerprint(one, SOURCE) for one in each))

    result = split(now, held(*before), SOURCE)
    assert kinds(result.known) == kinds(now) & kinds(before)
    assert kinds(result.new) == kinds(now) - kinds(before)
    assert Counter(kinds(before) - kinds(now)).total() == result.left.total()


@given(st.lists(findings, max_size=8))
def test_the_file_is_the_same_whatever_the_order(now: list[Finding]) -> None:
    entries = {"a.py": held(*now)}
    assert text_of(entries) == text_of({"a.py": held(*reversed(now))})
