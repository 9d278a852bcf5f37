"""`devlint port`: shows what it would change, writes it, and names what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.pipeline.changes import port as pipeline
from devlint.pipeline.files.write import replace_file

TRAIN = """\
import torch
from work import make

print(make(2).sum())
"""
WORK = """\
import torch

def make(n):
    return torch.ones(n).cuda()  # there
"""
PORTED = """\
import torch

def make(n, *, device):
    return torch.ones(n).to(device)  # there
"""
LEFT = """\
import torch

def never_called(n):
    return torch.ones(n).cuda()
"""


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a program of two files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "work.py").write_text(WORK)
    return tmp_path


def test_it_shows_a_patch_that_git_applies(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["port", "."]) == 1
    said = capsys.readouterr()
    assert said.err == "Would change 2 files.\n"
    assert (work / "work.py").read_text() == WORK
    subprocess.run(["git", "apply", "-p0", "-"], input=said.out, text=True, check=True)
    assert (work / "work.py").read_text() == PORTED
    assert main(["port", "."]) == 0
    assert capsys.readouterr().out == ""


def test_it_writes(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["port", "--write", "."]) == 0
    assert (work / "work.py").read_text() == PORTED
    assert "device = torch.device(" in (work / "train.py").read_text()
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "Changed 2 files.\n")
    assert main(["port", "--write", "-q", "."]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_patch_goes_to_a_file(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["port", "-o", "all.patch", "."]) == 1
    assert capsys.readouterr().out == ""
    assert (work / "all.patch").read_text().startswith("--- train.py\n+++ train.py\n")


def test_it_names_what_it_leaves(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "left.py").write_text(LEFT)
    assert main(["port", "--write", "."]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "left.py:4:12: `torch.ones(n).cuda()` stays: nothing in the project calls `never_called`",
        "Changed 2 files; 1 place left.",
    ]
    assert (work / "left.py").read_text() == LEFT


def test_a_notebook_and_a_broken_file_are_not_ported(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "book.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": "x.cuda()"}]}))
    (work / "broken.py").write_text("x.cuda(\n")
    assert main(["port", "--write", "."]) == 1
    said = capsys.readouterr().err.splitlines()
    assert "book.ipynb: not ported: a notebook cannot be ported; convert it to a program" in said
    assert any(line.startswith("broken.py: not ported: line 1: ") for line in said)
    assert (work / "work.py").read_text() == PORTED


def test_what_makes_no_sense_is_refused(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["port", "--write", "-o", "all.patch", "."]) == 2
    assert main(["port", "--config", "x.toml", "--isolated", "."]) == 2
    assert main(["port", "absent.py"]) == 2
    assert "error: absent.py: no such file or directory" in capsys.readouterr().err
    assert (work / "work.py").read_text() == WORK


def test_nothing_is_found(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "empty").mkdir()
    assert main(["port", "empty"]) == 0
    assert "warning: no Python files were found" in capsys.readouterr().err


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_encodings_line_ends_and_modes_stay(work: Path, ends: str) -> None:
    text = "# -*- coding: latin-1 -*-\nimport torch\n# über\n\x0cy = 1\nx = torch.ones(1).cuda()\n".replace(
        "\n", ends
    )
    path = work / "alone.py"
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o640)
    assert main(["port", "--write", "-q", "alone.py"]) == 0
    written = path.read_bytes().decode("latin-1")
    assert f"# über{ends}\x0cy = 1{ends}x = torch.ones(1).to(device){ends}" in written
    assert written.count("\n") == written.count(ends)
    assert path.stat().st_mode & 0o777 == 0o640


def test_either_all_files_are_written_or_none(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, before: bytes, after: bytes) -> None:
        if path.name == "work.py":
            raise PermissionError(13, "Permission denied")
        replace_file(path, before, after)

    monkeypatch.setattr(pipeline, "replace_file", refuse)
    assert main(["port", "--write", "."]) == 2
    assert "error: work.py could not be written, so no file was: permission denied" in capsys.readouterr().err
    assert (work / "train.py").read_text() == TRAIN


def test_a_file_with_other_names_is_refused(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link(work / "work.py", work / "again.txt")
    assert main(["port", "--write", "."]) == 2
    assert "hard links" in capsys.readouterr().err
    assert (work / "train.py").read_text() == TRAIN
