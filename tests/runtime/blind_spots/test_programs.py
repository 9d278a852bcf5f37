"""Interpreters that a program starts are said to be unseen."""

from __future__ import annotations

import subprocess
import sys

import pytest

import devlint
from devlint.runtime import observation

ONE = ["1 Python program that was started by `subprocess` was not looked into"]


@pytest.mark.parametrize(
    ("command", "remarks"),
    [
        ([sys.executable, "-c", ""], ONE),
        ((sys.executable.encode(), b"-c", b""), ONE),
        ([sys.executable, "-c", "'torch._inductor'"], []),
        (["true"], []),
    ],
    ids=["python", "bytes", "the compiler's", "another"],
)
def test_python_alone_is_remarked_on(command: list[str], remarks: list[str]) -> None:
    with devlint.guard():
        assert subprocess.run(command, check=False).returncode == 0
    assert observation.shared().remarks == remarks


def test_they_are_counted() -> None:
    with devlint.guard():
        for _ in range(2):
            subprocess.run(f"{sys.executable} -c ''", shell=True, check=True)
    assert observation.shared().remarks == [
        "2 Python programs that were started by `subprocess` were not looked into"
    ]


def test_nothing_is_said_of_what_nobody_watches() -> None:
    with devlint.guard():
        pass
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert observation.shared().remarks == []
