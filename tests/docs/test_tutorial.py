"""The tutorial, done from its first line to its last: its commands say what it shows."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.cli.programs import ROOT, shell

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
    (work / "devlint.toml").write_text("")
    ran = 0
    for language, file, text in steps():
        if language == "shell-session":
            for line, expected in sessions(text):
                assert shell(work, line, programs).out == expected, line
                ran += 1
        elif language == "diff":
            (work / file).write_text(edited((work / file).read_text("utf-8"), text))
        elif file:
            (work / file).parent.mkdir(parents=True, exist_ok=True)
            (work / file).write_text(text)
        else:
            assert language == "text"
    assert ran == 9
