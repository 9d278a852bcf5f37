"""What a change touches, on real programs: a change of one line makes another one wrong."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devlint.cli import main

MODEL = """\
import torch


def scaled(x):
    weight = torch.ones(3, device=x.device)
    return x * weight


def shifted(x, offset):
    return x + offset
"""
PROGRAM = """\
import torch

from model import scaled, shifted

x = torch.rand(3, device="cuda")
print(scaled(x), shifted(x, torch.rand(3).cpu()))
"""
"""What `shifted` does wrong is there before the change, and is seen in what the program gives it alone."""

Check = Callable[[], list[tuple[str, int, str]]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Commits the two files; then says what the change touches: file, line, code."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    Path("model.py").write_text(MODEL)
    Path("main.py").write_text(PROGRAM)
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "before")):
        subprocess.run(("git", *command), check=True)

    def found() -> list[tuple[str, int, str]]:
        main(["check", "--no-cache", "--diff-base", "HEAD", "--output-format", "json"])
        records = json.loads(capsys.readouterr().out)
        return [(Path(each["filename"]).name, each["location"]["row"], each["code"]) for each in records]

    return found


def test_nothing_changed(check: Check) -> None:
    assert check() == []


def test_it_is_there_without_a_change_to_compare_with(
    check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check() == []
    main(["check", "--no-cache", "-q", "--output-format", "concise"])
    assert capsys.readouterr().out.startswith("model.py:10:12: DL101")


def test_a_finding_on_another_line_is_shown_if_it_is_new(check: Check) -> None:
    changed = MODEL.replace("    return x * weight", "    x = x.cpu()\n    return x * weight")
    Path("model.py").write_text(changed)
    assert check() == [("model.py", 7, "DL101")]


def test_a_finding_that_was_there_is_not_shown_though_its_file_is_changed(check: Check) -> None:
    Path("model.py").write_text(f"# a comment\n{MODEL}\n\ndef more(x):\n    return x\n")
    assert check() == []


def test_files_that_are_not_changed_are_left_alone(check: Check) -> None:
    Path("main.py").write_text(PROGRAM.replace('device="cuda"', ""))
    assert check() == []
