"""Arguments and file names of others in what the commands say: no line of it begins with one of theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devlint.cli import main
from tests.report.test_hostile import ATTACK, require_harmless

SHORT = "a\n::error::owned\x1b[2J"
"""What fits into a file name."""
NAMED = "::error::owned.py"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    try:
        code = main(arguments)
    except SystemExit as stopped:
        assert isinstance(stopped.code, int)
        code = stopped.code
    out, err = capsys.readouterr()
    require_harmless(out + err)
    return code, out + err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", ATTACK],
        ["check", "--config", ATTACK],
        ["check", "--output-file", f"{ATTACK}/x"],
        ["check", "--output-file", f"{SHORT}.py"],
        ["check", "--select", ATTACK],
        ["check", f"--{ATTACK}"],
        ["check", "--baseline", ATTACK],
        ["check", "--with-trace", ATTACK],
        ["check", "--diff-base", ATTACK],
        ["check", "--show-files", ATTACK],
        ["check", "--jobs", ATTACK],
        [f"check{ATTACK}"],
        ["help", ATTACK],
        ["report", ATTACK],
        ["rule", ATTACK],
        ["explain", ATTACK],
        ["clean", "--cache-dir", SHORT],
        ["run", ATTACK],
        ["run", "-m", ATTACK],
        ["run", "--fail-on", ATTACK, "x.py"],
        ["run", "--sync", ATTACK, "x.py"],
        ["run", "--trace", f"{ATTACK}/x", "x.py"],
    ],
    ids=lambda arguments: " ".join(arguments).split("\n")[0],
)
def test_arguments(here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    (here / SHORT).mkdir()
    (here / f"{SHORT}.py").touch()
    (here / "x.py").touch()
    code, text = said(capsys, *arguments)
    assert code == 2
    assert text.startswith(("error: ", "warning: "))


@pytest.mark.parametrize("name", [f"{SHORT}.py", NAMED])
@pytest.mark.parametrize(
    "options",
    [
        ["--output-format", "concise"],
        ["--output-format", "full"],
        ["--output-format", "github"],
        ["--show-files"],
        ["--show-settings"],
        ["--diff"],
        ["--fix", "--unsafe-fixes", "--show-fixes"],
        ["--add-ignore"],
        ["--write-baseline", f"{SHORT}.json"],
    ],
    ids=" ".join,
)
def test_file_names(here: Path, capsys: pytest.CaptureFixture[str], name: str, options: list[str]) -> None:
    (here / name).write_text("BUG\nRISKY\n")
    text = said(capsys, "check", name, *options)[1]
    assert "owned" in text or "Ignored" in text


def test_a_configuration(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "devlint.toml").write_text(f"{json.dumps(ATTACK)} = 1\n")
    assert said(capsys, "check") == (2, said(capsys, "check")[1])
    (here / "devlint.toml").write_text(f"select = [{json.dumps(ATTACK)}]\n")
    assert said(capsys, "check")[0] == 2
    (here / "devlint.toml").write_text("x = '\n::error::owned'\n")
    assert said(capsys, "check")[0] == 2
