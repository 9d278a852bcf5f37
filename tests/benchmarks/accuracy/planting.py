"""A planted bug: one change that removes what the author wrote to keep devices consistent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True, order=True)
class Planting:
    """The place and the text of a change. Offsets count bytes of UTF-8.

    `first` and `last` are the lines of the statement that is changed, `scope` those of the outermost function
    or else the class around it; no change adds or takes away a line.
    """

    kind: str
    line: int
    column: int
    edits: tuple[tuple[int, int, bytes], ...]
    first: int
    last: int
    scope: tuple[int, int]
    attribute: str = ""
    """The attribute of `self` that is no buffer any more."""

    def plant(self, text: str) -> str:
        """The text with the bug."""
        data = text.encode()
        for start, end, replacement in sorted(self.edits, reverse=True):
            data = data[:start] + replacement + data[end:]
        return data.decode()


class Source:
    """A text with its syntax tree, and the position of each node."""

    def __init__(self, text: str) -> None:
        """Parse a text.

        Raises:
            SyntaxError: it is not Python.
        """
        self.text = text
        self.data = text.encode()
        self.tree = ast.parse(text)

    @cached_property
    def _lines(self) -> list[int]:
        starts = [0]
        for line in self.data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        """The offset of a node's first byte."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        """The offset after a node's last byte."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def blank(self, start: int, end: int) -> tuple[int, int, bytes]:
        """A change that removes a part except its line breaks."""
        return start, end, b"\n" * self.data.count(b"\n", start, end)

    def statements(self) -> Iterator[tuple[ast.stmt, tuple[int, int]]]:
        """Each statement without statements inside it, with the lines of the outermost function around it."""
        pending: list[tuple[ast.AST, tuple[int, int] | None]] = [(self.tree, None)]
        while pending:
            node, scope = pending.pop()
            for child in ast.iter_child_nodes(node):
                inner = scope
                if scope is None and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    inner = (child.lineno, child.end_lineno or child.lineno)
                if not isinstance(child, ast.expr):
                    pending.append((child, inner))
                if isinstance(child, ast.stmt) and not hasattr(child, "body"):
                    yield child, inner or (child.lineno, child.end_lineno or child.lineno)
