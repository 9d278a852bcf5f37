"""Lines of a text, and conversion between offsets and positions."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

_LINE_END = r"\r\n|\r|\n"


class Lines:
    r"""The lines of a text, which end at `\n`, `\r\n` or `\r`, as in Python's grammar.

    Lines and columns count from 1, columns and offsets count characters.
    """

    def __init__(self, text: str) -> None:
        self.whole = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(_LINE_END, self.whole))]

    def __len__(self) -> int:
        """The number of lines, including the empty one after the last line end."""
        return len(self._starts)

    def start(self, line: int) -> int:
        """The offset of a line's first character."""
        return self._starts[line - 1]

    def end(self, line: int) -> int:
        """The offset after a line's last character, without its line end."""
        return self.start(line) + len(self.text(line))

    def text(self, line: int) -> str:
        """A line without its line end."""
        starts = self._starts
        until = starts[line] if line < len(starts) else len(self.whole)
        return self.whole[starts[line - 1] : until].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """The offset of a place."""
        return self._starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    @cached_property
    def newline(self) -> str:
        r"""The line end of the text: its first one; `\n` if it has none."""
        match = re.search(_LINE_END, self.whole)
        return match[0] if match else "\n"
