"""From the lines and columns of `ast`, which count bytes of UTF-8, to offsets in the text."""

from __future__ import annotations

import ast

from devlint.model.lines import Lines
from devlint.source.edits import Extent


class Positions:
    """Where the nodes of a text's tree begin and end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self._extents: dict[ast.AST, Extent] = {}

    def extent(self, node: ast.AST) -> Extent:
        """Where a node with a position begins and ends: as with LibCST, without parentheses around it."""
        known = self._extents.get(node)
        if known is None:
            known = self._extents[node] = self._found(node)
        return known

    def _found(self, node: ast.AST) -> Extent:
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end_line, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return Extent(self._offset(line, column), self._offset(end_line, end_column))

    def _offset(self, line: int, column: int) -> int:
        text = self.lines.text(line)
        before = column if text.isascii() else len(text.encode()[:column].decode())
        return self.lines.start(line) + before
