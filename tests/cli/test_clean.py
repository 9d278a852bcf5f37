"""Remembering between runs, and forgetting."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.cli import main
from devlint.project.cache import DIRECTORY_NAME, VARIABLE

BUG = "import torch\nx = torch.ones(2, device='cuda') + torch.ones(2)\n"


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "bug.py").write_text(BUG)
    (tmp_path / "pyproject.toml").touch()


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_a_second_run_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 1
    first = capsys.readouterr()
    assert main(["check"]) == 1
    assert capsys.readouterr() == first
    assert "1 finding" in first.out


def test_the_cache_lies_at_the_root_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    main(["check", ".."])
    assert names(tmp_path) == {"bug.py", "pyproject.toml", "below", DIRECTORY_NAME}
    assert names(below) == set()
    assert (tmp_path / DIRECTORY_NAME / ".gitignore").read_text() == "*\n"


def test_it_lies_elsewhere_if_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["check", "--cache-dir", "elsewhere/deep"])
    assert (tmp_path / "elsewhere" / "deep" / "CACHEDIR.TAG").exists()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    main(["check"])
    assert (tmp_path / "named" / "CACHEDIR.TAG").exists()
    assert DIRECTORY_NAME not in names(tmp_path)


def test_nothing_is_remembered_if_so_wanted(tmp_path: Path) -> None:
    assert main(["check", "--no-cache"]) == 1
    assert main(["check", "--diff", "--no-cache"]) == 1
    assert names(tmp_path) == {"bug.py", "pyproject.toml"}


def test_clean_removes_the_cache_and_nothing_else(tmp_path: Path) -> None:
    main(["check"])
    assert DIRECTORY_NAME in names(tmp_path)
    assert main(["clean"]) == 0
    assert names(tmp_path) == {"bug.py", "pyproject.toml"}
    assert main(["clean"]) == 0


def test_clean_removes_no_other_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", "--cache-dir", str(tmp_path)]) == 2
    assert "is not a cache of devlint" in capsys.readouterr().err
    assert (tmp_path / "bug.py").exists()


@pytest.mark.parametrize("jobs", ["0", "-1", "two"])
def test_the_number_of_processes_is_one(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["check", f"--jobs={jobs}"])
    assert left.value.code == 2
    assert "number of processes" in capsys.readouterr().err
