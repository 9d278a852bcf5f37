"""The one error for a file that cannot be checked."""

from __future__ import annotations


class UnreadableSource(Exception):  # noqa: N818  # it says what the file is
    """Text that is no Python, or that cannot be decoded, or that nests too deep. One clear line.

    `line` and `column` count from 1, in characters. (No frozen dataclass: Python sets an exception's
    traceback on its way.)
    """

    def __init__(self, path: str, line: int, column: int, reason: str) -> None:
        super().__init__(path, line, column, reason)
        self.path = path
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.reason}"
