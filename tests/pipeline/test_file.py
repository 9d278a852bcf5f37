"""One file's way: whatever goes wrong is said in one line, and never counts as clean."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from devlint.pipeline.execution.run import check_file
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile
from devlint.project.settings import Options
from devlint.report import FORMATS


def check(path: Path) -> FileOutcome:
    settings = Configurations(Options(), path.parent, FORMATS, isolated=True).at(path.parent)
    return check_file(SourceFile(path, settings), path.name, Task())


def unreadable(path: Path) -> str:
    outcome = check(path)
    assert outcome.failure == ""
    (finding,) = outcome.findings
    assert finding.code == "DL900"
    assert "\n" not in finding.message
    return f"{finding.site.line}:{finding.site.column}: {finding.message}"


@pytest.mark.parametrize("torch", [b"", b"import torch\n"], ids=["without torch", "with torch"])
@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"x = (\n", 0),
        (b"def f(:\n    pass\n", 1),
        (b"  x\n y\n", 0),
        (b"print 'hello'\n", 1),
        (b"x = '\x00'\n", 0),
        (b"x = 1\n\xff\n", 0),
        (b"if x:\n\ty\n        z\n", 0),
    ],
)
def test_broken_files(tmp_path: Path, torch: bytes, data: bytes, line: int) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(torch + data)
    message = unreadable(path)
    if line:
        expected = line + len(torch.splitlines())
        assert message.startswith(f"{expected}:")


@pytest.mark.parametrize(
    "data", [b"# coding: klingon\nx = 1\n", b"\xff\xfex\x00=\x001\x00\n\x00", b"# coding: utf-8\n\xe9\n"]
)
def test_wrong_encodings(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    unreadable(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbfx = 1\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ry = 2\r",
        b"x = '\\d'\n",
        b"if x:\n    pass",
        b"\x0c\nx = 1\n",
        "naïve = '日本'\n".encode(),
    ],
)
@pytest.mark.parametrize("torch", [False, True], ids=["without torch", "with torch"])
def test_whole_files(tmp_path: Path, data: bytes, torch: bool, recwarn: pytest.WarningsRecorder) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data + (b"\nimport torch\n" if torch and not data.endswith(b"pass") else b""))
    outcome = check(path)
    assert (outcome.findings, outcome.failure) == ([], "")
    assert not recwarn.list


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "[" * 5000 + "]" * 5000,
        "x = " + "-" * 20000 + "1",
        "x = torch" + ".a" * 20000,
        "x = torch" + "()" * 20000,
        "x = " + "1 + " * 20000 + "1",
        "x = " + "not " * 20000 + "1",
        "".join(" " * i + "if x:\n" for i in range(200)) + " " * 200 + "pass",
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 3000,
        "x = " + "lambda: " * 5000 + "1",
        "f'{" * 500 + "x" + "}'" * 500,
    ],
    ids=["()", "[]", "-", ".a", "call", "+", "not", "if", "elif", "lambda", "fstring"],
)
@pytest.mark.parametrize("torch", [False, True], ids=["without torch", "with torch"])
def test_deep_code_is_checked_or_named(tmp_path: Path, text: str, torch: bool) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        ("import torch\n" if torch else "") + text.replace("torch", "torch" if torch else "t") + "\n"
    )
    limit = sys.getrecursionlimit()
    outcome = check(path)
    assert outcome.failure == ""
    assert [finding.code for finding in outcome.findings] in ([], ["DL900"])
    assert sys.getrecursionlimit() == limit


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    loop = tmp_path / "loop.py"
    loop.symlink_to("loop.py")
    assert "too many levels of symbolic links" in unreadable(loop)
    gone = tmp_path / "gone.py"
    gone.symlink_to("nowhere")
    assert "no such file or directory" in unreadable(gone)


@pytest.mark.usefixtures("stand_in")
def test_a_failure_of_devlint_is_one_line_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("CRASH\n")
    outcome = check(path)
    assert outcome.findings == []
    assert outcome.failure.startswith("a.py: devlint failed on this file (KeyError: 'a mistake\\nof ours', ")
    assert "report" in outcome.failure
    assert "\n" not in outcome.failure
    assert "Traceback" in outcome.trace


@pytest.mark.usefixtures("stand_in")
def test_recursion_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("DEEP\n")
    assert "nested too deeply" in unreadable(path)
