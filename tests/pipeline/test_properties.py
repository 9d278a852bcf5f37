"""Whatever is in a file: no failure, no lost text."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.pipeline.execution.run import Result, check_stdin
from devlint.pipeline.session.task import FileChange, Task
from devlint.project.configuration import Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS

HERE = Path.cwd()
IGNORING = Options(ignore=("DL901",))
shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

PIECES = [
    "BUG",
    "NESTED",
    "RISKY",
    "SHOWN",
    "x",
    "'BUG'",
    " + ",
    " + ",
    "\n",
    "\r\n",
    "  # devlint: ignore[DL101]\n",
    "é",
]


def check(data: bytes, name: str, task: Task = Task(), options: Options = Options()) -> Result:  # noqa: B008
    return check_stdin(data, name, Configurations(options, HERE, FORMATS, isolated=True), task)


@shared
@given(
    st.binary(max_size=60)
    | st.text(alphabet="x=():'\"\\#\n\r\t é{}f\x00\x0c%!?[],", max_size=40).map(str.encode)
)
def test_no_bytes_are_too_wild(data: bytes) -> None:
    for name in ("a.py", "a.ipynb"):
        result = check(data, name)
        assert result.failures == []
        assert {finding.code for finding in result.report.findings} <= {"DL900", "DL901"}


@shared
@given(st.lists(st.text(alphabet="x=():'\"\\#\n é%!?", max_size=20), max_size=4))
def test_no_cells_are_too_wild(sources: list[str]) -> None:
    data = json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]}).encode()
    result = check(data, "a.ipynb", Task(FileChange.FIX))
    assert result.failures == []
    assert json.loads(result.output) == json.loads(data)


@shared
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_fixes_change_what_they_are_for_and_nothing_else(stand_in: None, pieces: list[str]) -> None:  # noqa: ARG001
    text = "".join(pieces)
    fixed = check(text.encode(), "a.py", Task(FileChange.FIX), IGNORING)
    assert fixed.failures == []
    left = fixed.output.decode()
    if any(finding.code == "DL900" for finding in fixed.report.findings):
        assert left == text
        return
    for word in ("BUG", "NESTED"):
        text, left = text.replace(word, "OK"), left.replace(word, "OK")
    assert left == text
    assert check(fixed.output, "a.py", Task(FileChange.FIX), IGNORING).output == fixed.output
