"""From paths to files: what is walked, what is left out, and what is said of the rest."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.project.configuration import Configurations
from devlint.project.discover import Discovery, discover
from devlint.project.settings import Options
from devlint.report import FORMATS


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def find(root: Path, *paths: str, **fields: object) -> Discovery:
    options = Options(**fields)  # type: ignore[arg-type]
    return discover(paths or (".",), Configurations(options, root, FORMATS))


def names(root: Path, *paths: str, **fields: object) -> list[str]:
    return [file.path.relative_to(root).as_posix() for file in find(root, *paths, **fields).files]


def test_directories_are_walked_for_python_files_and_notebooks(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/z.pyi", "a/n.ipynb", "a/readme.md", "a/py", "a/x.pyc", ".hidden/c.py")
    assert names(tmp_path) == [".hidden/c.py", "a/n.ipynb", "a/z.pyi", "b.py"]


def test_a_path_reached_twice_is_checked_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py")
    assert names(tmp_path, "a/x.py", ".", "a", "./a/../a/x.py") == ["a/x.py"]


def test_default_excludes(tmp_path: Path) -> None:
    tree(tmp_path, ".venv/a.py", "x/node_modules/a.py", "dist/a.py", "build/a.py", "x/distance/a.py")
    assert names(tmp_path) == ["build/a.py", "x/distance/a.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("old", ["a/new.py", "gen_b.py", "new.py"]),
        ("gen_*.py", ["a/new.py", "new.py", "old/x.py", "x/old/y.py"]),
        ("x/old", ["a/new.py", "gen_b.py", "new.py", "old/x.py"]),
        ("/new.py", ["a/new.py", "gen_b.py", "old/x.py", "x/old/y.py"]),
        ("**/*.py", []),
        ("*/old/", ["a/new.py", "gen_b.py", "new.py", "old/x.py"]),
    ],
)
def test_exclude_patterns(tmp_path: Path, pattern: str, left: list[str]) -> None:
    tree(tmp_path, "a/new.py", "new.py", "old/x.py", "x/old/y.py", "gen_b.py")
    assert names(tmp_path, extend_exclude=(pattern,)) == left


def test_a_later_pattern_takes_back(tmp_path: Path) -> None:
    tree(tmp_path, "gen_a.py", "gen_keep.py")
    assert names(tmp_path, extend_exclude=("gen_*.py", "!gen_keep.py")) == ["gen_keep.py"]


def test_named_files_are_checked_even_if_excluded(tmp_path: Path) -> None:
    tree(tmp_path, "dist/a.py", "script")
    assert names(tmp_path, "dist/a.py", "script") == ["dist/a.py", "script"]
    assert names(tmp_path, "dist/a.py", "script", force_exclude=True) == ["script"]


def test_named_directories_are_walked_even_if_excluded(tmp_path: Path) -> None:
    tree(tmp_path, "dist/a.py", "dist/venv/b.py", "dist/deep/c.py")
    assert names(tmp_path, "dist") == ["dist/a.py", "dist/deep/c.py"]
    assert names(tmp_path, "dist", force_exclude=True) == []


def test_patterns_of_a_file_are_relative_to_it(tmp_path: Path) -> None:
    tree(tmp_path, "inner/gen/a.py", "gen/b.py", "inner/c.py")
    (tmp_path / "inner" / "devlint.toml").write_text('extend-exclude = ["/gen"]\n')
    assert names(tmp_path) == ["gen/b.py", "inner/c.py"]


def git(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_what_git_ignores_is_left_out_exactly(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    tree(
        tmp_path,
        "a.py",
        "local.py",
        "out/b.py",
        "sub/out/c.py",
        "sub/keep/d.py",
        "sub/deep/gen_1.py",
        "sub/deep/gen_keep.py",
        "sub/deep/e.py",
        "top.py",
        "sub/top.py",
        "data dir/f.py",
    )
    (tmp_path / ".gitignore").write_text("# comment\n\nout/\n/top.py\ngen_*\nsub/keep\ndata\\ dir/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!keep\n")
    (tmp_path / "sub" / "deep" / ".gitignore").write_text("!gen_keep.py\n")
    (tmp_path / ".git" / "info" / "exclude").write_text("local.py\n")
    listed = git(tmp_path, "ls-files", "--others", "--exclude-standard", "*.py").splitlines()
    assert names(tmp_path) == sorted(listed)
    assert names(tmp_path, "sub") == sorted(name for name in listed if name.startswith("sub/"))
    assert len(names(tmp_path, respect_gitignore=False)) == 11


def test_a_named_directory_is_walked_even_if_git_ignores_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    tree(tmp_path, "out/a.py", "out/tmp/b.py")
    (tmp_path / ".gitignore").write_text("out\ntmp\n")
    assert names(tmp_path) == []
    assert names(tmp_path, "out") == ["out/a.py"]
    assert names(tmp_path, "out/tmp/b.py") == ["out/tmp/b.py"]


def test_gitignore_above_the_repository_is_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.py\n")
    tree(tmp_path, "repository/a.py")
    git(tmp_path / "repository", "init", "--quiet")
    assert names(tmp_path / "repository") == ["a.py"]


def test_missing_paths_are_reported_as_named(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    found = find(tmp_path, "nope.py", "a.py", "a.py/x")
    assert found.missing == ["nope.py", "a.py/x"]
    assert len(found.files) == 1


def test_links_to_files_are_read_and_links_to_directories_are_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "d/b.py")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "gone.py").symlink_to("nowhere")
    assert names(tmp_path) == ["a.py", "d/b.py", "gone.py", "link.py"]
    assert names(tmp_path, "loop/d") == ["loop/d/b.py"]
    assert names(tmp_path, "gone.py") == ["gone.py"]


def test_pipes_that_lie_about_are_reported_and_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    found = find(tmp_path)
    assert found.files == []
    assert found.unreadable == [(tmp_path / "pipe.py", "it is not a regular file")]


def test_directories_that_cannot_be_read_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, "closed/a.py", "open/b.py")
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find(tmp_path)
    assert [file.path.name for file in found.files] == ["b.py"]
    assert found.unreadable == [(tmp_path / "closed", "permission denied")]


def test_closed_directories_are_reported_and_nothing_else_is_lost(tmp_path: Path, closed: Path) -> None:
    tree(tmp_path, "a.py")
    found = find(tmp_path, ".", "closed")
    assert [file.path.name for file in found.files] == ["a.py"]
    assert found.unreadable == [(closed, "permission denied")]


def test_a_closed_directory_may_be_named(tmp_path: Path, closed: Path) -> None:
    assert find(tmp_path, "closed").unreadable == [(closed, "permission denied")]


def test_directories_may_lie_deeper_than_calls_can(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 200)
    tree(tmp_path, "a.py", f"{deep}/x.py", "z.py")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        found = names(tmp_path)
    finally:
        sys.setrecursionlimit(limit)
    assert found == ["a.py", f"{deep}/x.py", "z.py"]
