"""The error for a file that cannot be checked."""

from __future__ import annotations


class UnreadableSource(Exception):  # noqa: N818  # it says what the file is
    """The text is not valid Python, cannot be decoded, or nests too deep. The message is one line.

    `line` and `column` count from 1, in characters. (Not a frozen dataclass, because Python sets the
    traceback of an exception.)
    """

    def __init__(self, path: str, line: int, column: int, reason: str) -> None:
        super().__init__(path, line, column, reason)
        self.path = path
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.reason}"
