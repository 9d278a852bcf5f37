"""Real bugs retold: which are found, and that nothing is said of the repaired programs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.historic.case import FOLDER, Case, all_cases, reasons

CASES = all_cases()
COUNTED = [case for case in CASES if case.counts]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
each_counted = pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.id)


@each_counted
def test_the_bug_is_found_as_surely_as_is_told(case: Case) -> None:
    lines = [f"{spot[0]}:{spot[1]}: {sorted(case.errors[spot])}" for spot in case.silent_lines()]
    assert case.confidence == case.found, "nothing is said here: " + "; ".join(lines)


@each_case
def test_nothing_else_is_said_of_the_bug(case: Case) -> None:
    if case.id in ("operand-not-moved-15", "operand-not-moved-17"):
        pytest.xfail("a finding in another file of the case stands at a line of a docstring")
    assert case.stray == []


@each_case
def test_the_repaired_program_is_silent(case: Case) -> None:
    assert case.alarms == []


def test_a_case_is_missed_if_there_is_a_reason() -> None:
    known = reasons()
    assert known.keys() == {case.id for case in COUNTED if not case.found}
    assert all(reason.strip() for reason in known.values())
    assert not any(case.found for case in CASES if not case.counts)


def test_cases_and_folders_match() -> None:
    folders = Counter(folder.name for folder in FOLDER.iterdir() if any(folder.glob("bad*")))
    assert folders == Counter(case.id for case in CASES)


@each_case
def test_the_repair_changes_more_than_comments(case: Case) -> None:
    def code(program: tuple[Path, ...]) -> list[str]:
        lines = (line for file in program for line in file.read_text(encoding="utf-8").splitlines())
        return [line.partition("#")[0].rstrip() for line in lines]

    if case.counts:
        assert code(case.bad) != code(case.good)
    assert not any("# error:" in file.read_text(encoding="utf-8") for file in case.good)


@each_case
def test_a_program_of_several_files_is_whole(case: Case) -> None:
    """Both programs have the same files, and a bug that one file shows is told in one."""
    bad, good = ([file.name for file in program] for program in (case.bad, case.good))
    assert [name.replace("bad", "good") for name in bad] == good
    assert (len(bad) > 1) is (case.visibility == "cross-file")


def test_a_mark_can_fail() -> None:
    """Every mark names a code, so that a slip of the pen is no bug that is never looked for."""
    for case in CASES:
        text = "".join(file.read_text(encoding="utf-8") for file in case.bad)
        assert text.count("# error:") == len(case.errors), case.bad
        assert text.count("# also:") == len(case.allowed), case.bad
