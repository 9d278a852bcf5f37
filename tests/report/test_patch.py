"""Diffs that other programs take."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devlint.report.patch import patch


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nc\n"),
        ("a\nb", "a\nc"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        ("", "a\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\x0cb\nc\u2028d\n", "a\x0cB\nc\u2028D\n"),
    ],
)
def test_git_makes_the_one_of_the_other(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "f.py").write_bytes(before.encode())
    diff = patch("f.py", before, after)
    subprocess.run(["git", "apply", "-p0", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (tmp_path / "f.py").read_bytes() == after.encode()


def test_nothing_changed() -> None:
    assert patch("f.py", "a\n", "a\n") == ""
