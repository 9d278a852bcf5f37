"""Tests of a fault in some functions of devlint: the program runs unchanged, and the fault is reported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.faults.__main__ import PRELOADED, verdict
from tests.runtime.faults.harness import PACKAGES, WATCHED, Done, Step, run_with_fault, steps_of
from tests.runtime.faults.programs import OPTIONS, PROGRAM

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is copied"),
    pytest.mark.skipif(
        sys.version_info < (3, 11), reason="Python 3.10 knows no qualified names of functions"
    ),
]

SIMULATED = OPTIONS[-1]
WHERE = {
    "BackwardObserver.__init__": 0,
    "Interceptions._as_here": 0,
    "ProgramWatch.end": 0,
    "Visit.note": 0,
    "_CountedMethod.__get__": 0,
    "_keep_out.<locals>.around_choice.<locals>.choose_watched": 0,
    "_operands": 0,
    "Kernels._foreseen": 3,
    "Layer._instead": 3,
    "Progress._drew": 3,
    "Recorder.count": 3,
    "Simulation._read": 3,
    "is_for_program": 3,
    "for_program": 3,
    "transfer": 3,
}
"""Functions, and the set of options with which they are entered. `python -m tests.runtime.faults` has all."""


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("faults")
    (where / "program.py").write_text(PROGRAM)
    return where


@pytest.fixture(scope="module")
def plain(where: Path) -> Done:
    done = subprocess.run(
        (sys.executable, "program.py"), cwd=where, capture_output=True, text=True, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def steps(where: Path) -> dict[int, dict[str, Step]]:
    assert PRELOADED
    return {
        number: {step[1]: step for step in steps_of([*OPTIONS[number], "program.py"], where)}
        for number in sorted(set(WHERE.values()))
    }


@pytest.mark.parametrize("name", WHERE)
def test_the_program_notices_nothing(
    name: str, where: Path, plain: Done, steps: dict[int, dict[str, Step]]
) -> None:
    number = WHERE[name]
    done = run_with_fault(steps[number][name], [*OPTIONS[number], "program.py"], where)
    assert verdict(done, plain) == "told", done.err
    assert done.err.count("InjectedError") <= 2, "said at once, and in the report"


def test_all_packages_of_a_run_are_watched() -> None:
    assert len(PACKAGES) == len(WATCHED)
    assert all(Path(each).is_dir() for each in WATCHED)
