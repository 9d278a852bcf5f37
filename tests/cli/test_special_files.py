"""Pipes and devices where devlint looks for files: none of them makes a check wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devlint.cli import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no pipes among the files")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[_pipe, _endless])
def special(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    made: Callable[[Path], None] = request.param
    return made


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", "--no-cache", "--output-format", "concise", *arguments])
    out, err = capsys.readouterr()
    return code, out + err


@pytest.mark.parametrize("name", ["devlint.toml", ".devlint.toml", "pyproject.toml"])
def test_a_configuration(
    here: Path, special: Callable[[Path], None], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    special(here / name)
    code, said = check(capsys)
    assert code == 2
    assert said.endswith(f"{name}: cannot be read: it is not a regular file\n")


def test_a_baseline(here: Path, special: Callable[[Path], None], capsys: pytest.CaptureFixture[str]) -> None:
    special(here / "known.json")
    assert check(capsys, "--baseline", "known.json") == (
        2,
        "error: known.json: cannot be read: it is not a regular file\n",
    )


def test_an_ignore_file(
    here: Path, special: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / ".git").mkdir()
    special(here / ".gitignore")
    (here / "a.py").write_text("BUG\n")
    assert check(capsys)[0] == 1


def test_a_source_file(
    here: Path, special: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    special(here / "a.py")
    code, said = check(capsys)
    assert code == 1
    assert "DL900 the file could not be checked: it is not a regular file" in said


def test_a_module_that_is_imported(
    tmp_path: Path, special: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "devlint.toml").touch()
    special(tmp_path / "helper.py")
    (tmp_path / "package").mkdir()
    special(tmp_path / "package" / "__init__.py")
    program = "import torch, helper, package\nx = torch.ones(2, device='cuda') + torch.ones(2)\n"
    (tmp_path / "a.py").write_text(program)
    for _ in ("cold", "warm"):
        assert main(["check", str(tmp_path / "a.py"), "--cache-dir", str(tmp_path / "cache")]) == 1
        assert "Found 1 finding." in capsys.readouterr().out
