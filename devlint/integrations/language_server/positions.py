"""Positions in editors: lines and units from 0, with the units on which client and server agreed."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from devlint.model import Edit, Site
from devlint.model.lines import Lines


class Positions:
    """The positions in one text."""

    def __init__(self, text: str, units: Callable[[str], int]) -> None:
        """`units` returns the number of units of a part of a line, such as in UTF-16."""
        self._lines = Lines(text)
        self._units = units

    def position(self, offset: int) -> types.Position:
        """The position of a character."""
        line, column = self._lines.position(offset)
        return types.Position(line - 1, self._units(self._lines.text(line)[: column - 1]))

    def offset(self, position: types.Position) -> int:
        """The character at a position; the end of its line if the line is shorter."""
        if position.line >= len(self._lines):
            return len(self._lines.whole)
        text = self._lines.text(position.line + 1)
        taken = 0
        for column, character in enumerate(text):
            if taken >= position.character:
                return self._lines.start(position.line + 1) + column
            taken += self._units(character)
        return self._lines.end(position.line + 1)

    def range(self, start: int, end: int) -> types.Range:
        """The range of a part of the text."""
        return types.Range(self.position(start), self.position(end))

    def of_site(self, site: Site) -> types.Range:
        """The range of a site, on one line, because editors underline all of it."""
        line = min(site.line, len(self._lines))  # the site of a syntax error may be after the last line
        first, last = self._lines.start(line), self._lines.end(line)
        start = min(first + site.column - 1, last)
        end = first + site.end_column - 1 if site.end_line == site.line else last
        return self.range(start, max(start, min(end, last)))

    def edits(self, edits: tuple[Edit, ...]) -> list[types.TextEdit]:
        """Edits of the text."""
        newline = self._lines.newline
        return [
            types.TextEdit(self.range(each.start, each.end), each.content.replace("\n", newline))
            for each in edits
        ]

    def becoming(self, text: str) -> list[types.TextEdit]:
        """The shortest single edit from this text to another one."""
        before = self._lines.whole
        limit = min(len(before), len(text))
        start = next((at for at in range(limit) if before[at] != text[at]), limit)
        same = next((at for at in range(limit - start) if before[-1 - at] != text[-1 - at]), limit - start)
        changed = text[start : len(text) - same]
        return [types.TextEdit(self.range(start, len(before) - same), changed)] if before != text else []
