"""Shells complete commands, options and files by the script that devlint prints."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.cli import COMMANDS, main

pytest.importorskip("shtab")


def completed(words: list[str], script: Path, here: Path) -> list[str]:
    """What bash offers for the last of some words."""
    asked = f"""
        source {script}
        COMP_WORDS=({" ".join(repr(each) for each in words)})
        COMP_CWORD={len(words) - 1}
        COMP_LINE={" ".join(words)!r}
        _shtab_devlint
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", asked], cwd=here, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    here = tmp_path / "here"
    here.mkdir()
    (here / "train.py").touch()
    assert set(completed(["devlint", ""], script, here)) == {*COMMANDS}
    assert completed(["devlint", "re"], script, here) == ["report"]
    assert completed(["devlint", "check", "--stat"], script, here) == ["--statistics"]
    assert completed(["devlint", "run", "--simulate", "c"], script, here) == ["cuda"]
    assert completed(["devlint", "check", "tr"], script, here) == ["train.py"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh_reads_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    script = tmp_path / "_devlint"
    script.write_text(capsys.readouterr().out)
    assert "--statistics" in script.read_text()
    subprocess.run(["zsh", "-n", str(script)], check=True)


def test_it_needs_shtab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == "error: completion needs shtab: pip install 'devlint[completion]'\n"
