"""The tutorial, done from its first line to its last: its commands say what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.cli.programs import ENVIRONMENT, ROOT

PAGE = ROOT / "docs" / "tutorial.md"


def steps() -> Iterator[tuple[str, str, str]]:
    """The blocks: language, the file that it is about, and text."""
    for token in MarkdownIt().parse(PAGE.read_text("utf-8")):
        if token.type == "fence":
            language, _, file = token.info.partition(" ")
            yield language, file, token.content


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a session, each with what it says."""
    parts = re.split(r"^\$ (.+)\n", text, flags=re.MULTILINE)[1:]
    yield from zip(parts[::2], parts[1::2], strict=True)


def shell(line: str, where: Path, programs: Path) -> str:
    """What a line of shell says, on both streams."""
    path = f"{programs}{os.pathsep}{ENVIRONMENT['PATH']}"
    done = subprocess.run(
        ("bash", "-c", line),
        cwd=where,
        env={**ENVIRONMENT, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def edited(text: str, diff: str) -> str:
    """A text with the change of a block, whose lines must be there once."""
    before = "".join(f"{line[1:]}\n" for line in diff.splitlines() if line.startswith("-"))
    after = "".join(f"{line[1:]}\n" for line in diff.splitlines() if line.startswith("+"))
    assert text.count(before) == 1, before
    return text.replace(before, after)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a run knows lines only, so that it says less")
def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    programs, work = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    work.mkdir()
    (programs / "devlint").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m devlint "$@"\n')
    (programs / "devlint").chmod(0o755)
    (work / "devlint.toml").write_text("")
    ran = 0
    for language, file, text in steps():
        if language == "shell-session":
            for line, expected in sessions(text):
                assert shell(line, work, programs) == expected, line
                ran += 1
        elif language == "diff":
            (work / file).write_text(edited((work / file).read_text("utf-8"), text))
        elif file:
            (work / file).parent.mkdir(parents=True, exist_ok=True)
            (work / file).write_text(text)
        else:
            assert language == "text"
    assert ran == 9
