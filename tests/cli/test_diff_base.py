"""`--diff-base`: what a change touches, in real repositories."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devlint.cli import main

Git = Callable[..., str]


@pytest.fixture
def git(here: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Runs git in the working directory, a repository, with nothing of this machine's configuration."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "a@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)

    def run(*arguments: str, cwd: Path = here) -> str:
        done = subprocess.run(("git", *arguments), cwd=cwd, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    run("init", "-q", "-b", "main")
    return run


def commit(git: Git) -> str:
    git("add", "-A")
    git("commit", "-q", "-m", "change", "--allow-empty")
    return git("rev-parse", "HEAD")


def touched(capsys: pytest.CaptureFixture[str], rev: str = "main", *arguments: str) -> list[str]:
    """The places and codes that are shown."""
    code = main(["check", "--output-format", "concise", "-q", "--diff-base", rev, *arguments])
    out, err = capsys.readouterr()
    assert err == ""
    lines = [line.split(" ") for line in out.splitlines()]
    assert code == bool(lines)
    return [f"{place.rstrip(':')} {code}" for place, code, *_ in lines]


def test_changed_lines(here: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\nx = 1\ny = 2\n")
    (here / "b.py").write_text("BUG\n")
    commit(git)
    (here / "a.py").write_text("BUG\nx = SHOWN\ny = 2\nz = RISKY\n")
    assert touched(capsys) == ["a.py:2:5 DL102", "a.py:4:5 DL301"]
    main(["check", "--output-format", "concise", "--diff-base", "main"])
    out = capsys.readouterr().out
    assert "2 findings not shown that the change since main does not touch.\n" in out


@pytest.mark.parametrize("state", ["worktree", "staged", "committed"])
def test_it_is_the_working_tree_that_is_compared(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    (here / "a.py").write_text("BUG\n")
    commit(git)
    git("checkout", "-q", "-b", "topic")
    (here / "a.py").write_text("BUG\nx = BUG\n")
    if state == "staged":
        git("add", "-A")
    elif state == "committed":
        commit(git)
    assert touched(capsys) == ["a.py:2:5 DL101"]


def test_moved_lines_are_not_touched_but_for_those_that_moved(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("a = 1\nb = 2\nc = BUG\n")
    commit(git)
    (here / "a.py").write_text("import os\n\n\na = 1\nb = 2\nc = BUG\n")
    assert touched(capsys) == []


def test_new_files_are_touched_as_a_whole(here: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    commit(git)
    for name in ("added.py", "untracked.py", "ignored.py"):
        (here / name).write_text("BUG\n")
    (here / ".gitignore").write_text("ignored.py\n")
    git("add", "added.py")
    assert touched(capsys) == ["added.py:1:1 DL101", "untracked.py:1:1 DL101"]
    assert touched(capsys, "main", "ignored.py") == ["ignored.py:1:1 DL101"]


def test_a_renamed_file_is_the_file_that_it_was(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(f"x{number} = {number}\n" for number in range(20))
    (here / "old.py").write_text(f"BUG\n{text}")
    commit(git)
    git("mv", "old.py", "new.py")
    (here / "new.py").write_text(f"BUG\n{text}y = BUG\n")
    assert touched(capsys) == ["new.py:22:5 DL101"]


@pytest.mark.parametrize(
    "name", ["with a blank.py", 'q"uote\\n.py', "new\nline.py", "tab\t.py", "日本.py", "++ b.py"]
)
def test_odd_names(here: Path, git: Git, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (here / name).write_text("BUG\nx = 1\n")
    commit(git)
    (here / name).write_text("BUG\nx = BUG\n")
    main(["check", "--output-format", "json", "--diff-base", "main"])
    assert [each["location"]["row"] for each in json.loads(capsys.readouterr().out)] == [2]


def test_what_stands_in_a_line_is_no_header(here: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(
        '"""\n-- b.py"""'
    )  # without an end of its line, of which git says so in between
    (here / "b.py").write_text("BUG\n")
    commit(git)
    (here / "a.py").write_text('"""\n++ b.py\n@@ -0,0 +1 @@"""\nBUG')
    assert touched(capsys) == ["a.py:4:1 DL101"]


def test_it_counts_from_where_the_branch_left(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("BUG\n")
    (here / "b.py").write_text("OK\n")
    commit(git)
    git("checkout", "-q", "-b", "topic")
    (here / "b.py").write_text("SHOWN\n")
    commit(git)
    git("checkout", "-q", "main")
    (here / "a.py").write_text("OK\n")
    commit(git)
    git("checkout", "-q", "topic")
    assert touched(capsys) == ["b.py:1:1 DL102"]


def test_from_below_the_root(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "a.py").write_text("BUG\nx = 1\n")
    commit(git)
    git("config", "diff.relative", "true")
    git("config", "diff.noprefix", "true")
    git("config", "color.ui", "always")
    (here / "sub" / "a.py").write_text("BUG\nx = BUG\n")
    monkeypatch.chdir(here / "sub")
    assert touched(capsys) == ["a.py:2:5 DL101"]
    monkeypatch.chdir(here)
    (here.parent / "link").symlink_to(here)
    monkeypatch.chdir(here.parent / "link")
    assert touched(capsys, "main", str(here.parent / "link" / "sub")) == [
        f"{here.parent / 'link'}/sub/a.py:2:5 DL101"
    ]


def test_notebooks_show_what_is_new(here: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    def notebook(*cells: str) -> None:
        data = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
        (here / "n.ipynb").write_text(json.dumps(data, indent=1))

    notebook("BUG", "x = 1")
    commit(git)
    notebook("x = 1", "import os\nBUG", "y = BUG")
    main(["check", "--output-format", "json", "--diff-base", "main"])
    assert [each["cell"] for each in json.loads(capsys.readouterr().out)] == [3]


def test_together_with_a_baseline(here: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("x = 1\n")
    commit(git)
    (here / "a.py").write_text("BUG\nx = SHOWN\n")
    assert main(["check", "-q", "--write-baseline", "known.json", "--select", "DL101"]) == 0
    assert touched(capsys, "main", "--baseline", "known.json") == ["a.py:2:5 DL102"]


def test_a_file_that_cannot_be_read_is_always_shown(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("x = (\n")
    commit(git)
    assert touched(capsys) == ["a.py:1:5 DL900"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--diff-base", "none"], "--diff-base: there is no commit `none` in "),
        (["--diff-base", ""], "--diff-base: there is no commit `` in "),
        (["--diff-base=--output=x"], "there is no commit `--output=x` in "),
        (["--diff-base", "HEAD:a.py"], "there is no commit `HEAD:a.py` in "),
        (["--diff-base", "main", "--fix"], "--diff-base and --fix"),
        (["--diff-base", "main", "--diff"], "--diff-base and --diff"),
        (["--diff-base", "main", "--add-ignore"], "--diff-base and --add-ignore"),
        (["--diff-base", "main", "--write-baseline", "x.json"], "--write-baseline and --diff-base"),
        (["--diff-base", "main", "-"], "--diff-base and standard input"),
    ],
)
def test_bad_use(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (here / "a.py").write_text("BUG\n")
    commit(git)
    refused(capsys, message, *arguments)
    assert not (here / "x").exists()


def refused(capsys: pytest.CaptureFixture[str], message: str, *arguments: str) -> None:
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_outside_of_a_repository(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(here.parent))
    (here / "a.py").write_text("BUG\n")
    refused(capsys, f"--diff-base: {here} is not in a git working tree", "--diff-base", "main")


def test_without_git(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a.py").write_text("BUG\n")
    monkeypatch.setenv("PATH", str(here))
    refused(capsys, "git is not installed", "--diff-base", "main")


def test_histories_that_have_nothing_in_common(
    here: Path, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("BUG\n")
    commit(git)
    git("checkout", "-q", "--orphan", "other")
    (here / "b.py").write_text("OK\n")
    commit(git)
    refused(capsys, "no common ancestor is known; a shallow clone must fetch more", "--diff-base", "main")


def test_a_configuration_that_fixes(here: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "devlint.toml").write_text("fix = true\n")
    (here / "a.py").write_text("OK\n")
    commit(git)
    (here / "a.py").write_text("BUG\n")
    refused(capsys, "--no-fix", "--diff-base", "main")
    assert touched(capsys, "main", "--no-fix") == ["a.py:1:1 DL101"]
