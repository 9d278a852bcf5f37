"""Tests that the benchmark compares the printed lines, and lists only programs that it can fetch."""

from __future__ import annotations

import pytest

from tests.benchmarks.port.__main__ import PROGRAMS, ported_paths
from tests.benchmarks.port.trial import LEFT, Trial
from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.trial import Run

PROGRAM = Program("p", "a/b", ("train.py",), "")
SAME = Run(0, ["1.5"], "", 0.0)


def trial(before: Run = SAME, cpu: Run = SAME, simulated: Run = SAME, again: str = "") -> Trial:
    return Trial(PROGRAM, before, Run(1, [], "", 0.0), 1, 2, (), again, cpu, simulated, ())


def test_all_that_is_listed_has_a_source_and_says_what_is_ported() -> None:
    listed = catalogue.read(PROGRAMS)
    assert {program.source for program in listed.programs} == set(listed.repositories)
    assert {program.name for program in listed.programs} == set(ported_paths())


@pytest.mark.parametrize(
    ("tried", "outcome"),
    [
        (trial(), "equal"),
        (trial(cpu=Run(0, ["1.6"], "", 0.0)), "'1.6' on the CPU, '1.5' simulated"),
        (trial(before=Run(0, [], "", 0.0)), "'(nothing)' before, '1.5' after"),
        (trial(simulated=Run(1, [], "ValueError: x", 0.0)), "ported, simulated: ValueError: x"),
        (trial(again="--- a"), "a second port changes more"),
        (trial(*(Run(0, [], "", 0.0),) * 3), "prints nothing"),
    ],
)
def test_the_outcome(tried: Trial, outcome: str) -> None:
    assert tried.outcome == outcome


def test_what_is_left_is_found_in_what_is_said() -> None:
    said = "work.py:4:12: `x.cuda()` stays: nothing calls it\nChanged 1 file; 1 place left.\n"
    assert LEFT.findall(said) == ["work.py:4:12: `x.cuda()` stays: nothing calls it"]
