"""Whatever is in a file: no failure, no lost text."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.pipeline.document import read_document
from devlint.pipeline.file import check_data
from devlint.pipeline.fix import fix_all
from devlint.pipeline.session import Session
from devlint.pipeline.task import Change, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile
from devlint.project.settings import Options
from devlint.report import FORMATS
from devlint.rules import registry

HERE = Path.cwd()
SETTINGS = Configurations(Options(), HERE, FORMATS, isolated=True).at(HERE)
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


@shared
@given(
    st.binary(max_size=60)
    | st.text(alphabet="x=():'\"\\#\n\r\t é{}f\x00\x0c%!?[],", max_size=40).map(str.encode)
)
def test_no_bytes_are_too_wild(data: bytes) -> None:
    for name in ("a.py", "a.ipynb"):
        outcome = check_data(data, SourceFile(HERE / name, SETTINGS), name, Session(Task()))
        assert outcome.failure == ""
        assert {finding.code for finding in outcome.findings} <= {"DL900", "DL901"}


@shared
@given(st.lists(st.text(alphabet="x=():'\"\\#\n é%!?", max_size=20), max_size=4))
def test_no_cells_are_too_wild(sources: list[str]) -> None:
    data = json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]}).encode()
    outcome = check_data(data, SourceFile(HERE / "a.ipynb", SETTINGS), "a.ipynb", Session(Task(Change.FIX)))
    assert outcome.failure == ""
    document = read_document(data, "a.ipynb", notebook=True)
    assert json.loads(document.to_bytes()) == json.loads(data)


@shared
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_fixes_change_what_they_are_for_and_nothing_else(stand_in: None, pieces: list[str]) -> None:  # noqa: ARG001
    text = "".join(pieces)
    document = read_document(text.encode(), "a.py", notebook=False)
    on = frozenset(registry.codes()) - {"DL901"}
    fixed = fix_all(document, "a.py", on, unsafe=False)
    if any(finding.code == "DL900" for finding in fixed.findings):
        assert fixed.document.text == text
        return
    assert fixed.settled
    left = fixed.document.text
    for word in ("BUG", "NESTED"):
        text, left = text.replace(word, "OK"), left.replace(word, "OK")
    assert left == text
    again = fix_all(fixed.document, "a.py", on, unsafe=False)
    assert again.document.text == fixed.document.text
