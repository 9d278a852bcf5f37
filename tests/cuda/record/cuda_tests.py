"""How the tests end that need CUDA: the guard for real, and what its users are promised."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.cuda.record.ground import Ground
from tests.cuda.record.part import Fields, Observer, Part

_ROOT = Path(__file__).parents[3]
_PATIENCE = 90.0
_MARK = "pytest.mark.cuda"
_ENDS = ("failure", "error", "skipped")


def _ended(path: str) -> list[Fields]:
    """Each test of a file: its name, how it ended, seconds, and the first line of why."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = ["-m", "pytest", "-m", "cuda", "-p", "no:cacheprovider", f"--junitxml={report}", path]
        done = subprocess.run(
            [sys.executable, *command],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE - 5,
        )
        if not report.exists():
            return [("", f"exit code {done.returncode}", "", (done.stderr or done.stdout)[-300:])]
        cases = list(ElementTree.parse(report).iter("testcase"))
    return [_case(case) for case in cases]


def _case(case: ElementTree.Element) -> Fields:
    name, seconds = case.get("name", ""), case.get("time", "")
    for end in _ENDS:
        found = case.find(end)
        if found is not None:
            return name, end, seconds, found.get("message", "").partition("\n")[0]
    return name, "passed", seconds, ""


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    """The files with tests that are marked."""
    files = sorted(_ROOT.joinpath("tests").rglob("test_*.py"))
    return [path.relative_to(_ROOT).as_posix() for path in files if _MARK in path.read_text("utf-8")]


PART = Part(
    name="cuda_tests",
    shows="how the tests end that are marked cuda",
    columns=("test", "ended", "seconds", "why"),
    subjects=_subjects,
    observers=(Observer("pytest", _ended, workers=2, patience=_PATIENCE),),
    seconds=60,
)
