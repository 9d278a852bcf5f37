"""Finding the files of a traceback on this machine, where they may have another path, and may have
changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from devlint.errors.pasted import PastedFrame
from devlint.model.lines import Lines
from devlint.project.discover import PYTHON_SUFFIXES
from devlint.source.decode import decode
from devlint.source.unreadable import UnreadableSource

MAX_SIZE = 4 << 20
"""In bytes. Larger files are not read."""


class LocalFile(NamedTuple):
    """The file of a frame."""

    path: Path
    line: int
    """The present number of the line that the frame quotes."""
    text: str


def local_file(frame: PastedFrame, directory: Path) -> LocalFile | None:
    """The file of a frame, if it exists and contains the line that the frame quotes.

    For a path of another machine, the longest suffix of it that leads to a file below the directory is used.
    """
    for path in _candidates(frame.path, directory):
        text = text_at(path)
        line = 0 if text is None else _line(frame, text)
        if text is not None and line:
            return LocalFile(path, line, text)
    return None


def _candidates(name: str, directory: Path) -> Iterator[Path]:
    pure = PureWindowsPath(name) if "\\" in name else PurePosixPath(name)
    if pure.suffix not in PYTHON_SUFFIXES or "\0" in name:
        return
    if Path(name).is_absolute():
        yield Path(name)
    elif name.startswith("~"):
        yield Path(os.path.expanduser(name))  # noqa: PTH111  # Path's raises where there is no such user
    parts = [part for part in pure.parts if part not in (pure.anchor, "..", "~")]
    for start in range(len(parts)):
        yield directory.joinpath(*parts[start:])


def text_at(path: Path) -> str | None:
    """The text of a file; None if it does not exist, is too large, or is not text."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_SIZE:
            return None
        return decode(path.read_bytes(), str(path)).text
    except (OSError, ValueError, UnreadableSource):
        return None


def _line(frame: PastedFrame, text: str) -> int:
    """The number of the quoted line: the quoted number, or that of the only equal line; else 0."""
    whole = Lines(text)
    lines = [whole.text(number) for number in range(1, len(whole) + 1)]
    if not frame.code:
        return frame.line if 1 <= frame.line <= len(lines) else 0
    if frame.line <= len(lines) and frame.line and _same(lines[frame.line - 1], frame.code):
        return frame.line
    alike = [number for number, line in enumerate(lines, start=1) if _same(line, frame.code)]
    return alike[0] if len(alike) == 1 else 0


def _same(line: str, code: str) -> bool:
    return line.split() == code.split()
