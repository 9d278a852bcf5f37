"""The text to which findings refer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from devlint.model.lines import Lines

if TYPE_CHECKING:
    from devlint.model import Edit, Site


class SourceText:
    """The decoded text of one file.

    The text of a notebook is the concatenation of its code cells; `cells` then lists the first line of each,
    so that a place can be given as a cell and a line in it.
    """

    def __init__(self, text: str, cells: Sequence[int] = ()) -> None:
        self.text = text
        self.cells = tuple(cells)

    @cached_property
    def lines(self) -> Lines:
        """The lines of the whole text."""
        return Lines(self.text)

    def line(self, number: int, cell: int | None = None) -> str:
        """A line of the text, or of one cell, without its end; empty if there is no such line."""
        if cell is not None:
            if cell > len(self.cells):
                return ""
            number += self.cells[cell - 1] - 1
        return self.lines.text(number) if 1 <= number <= len(self.lines) else ""

    def place(self, offset: int) -> tuple[int | None, int, int]:
        """Cell, line and column of an offset; the cell is None outside of notebooks."""
        line, column = self.lines.position(offset)
        if not self.cells:
            return None, line, column
        cell = bisect_right(self.cells, line)
        return cell, line - self.cells[cell - 1] + 1, column

    def ends(self, edit: Edit) -> tuple[tuple[int | None, int, int], tuple[int | None, int, int]]:
        """Where an edit starts and ends."""
        return self.place(edit.start), self.place(edit.end)

    def in_cell(self, site: Site) -> Site:
        """A place in the whole text, converted to a place in its cell."""
        if not self.cells:
            return site
        from dataclasses import replace  # noqa: PLC0415  # only findings in notebooks need it

        cell = max(bisect_right(self.cells, site.line), 1)
        before = self.cells[cell - 1] - 1
        return replace(site, cell=cell, line=site.line - before, end_line=site.end_line - before)
