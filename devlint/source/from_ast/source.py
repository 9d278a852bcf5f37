"""What a lowering has to know besides the node: the next number, and the text where nodes say too little."""

from __future__ import annotations

import ast
import re

from devlint.model import SiteId

_NEWLINE = re.compile(rb"\r\n?|\n")
_ONLY_OPENS = re.compile(rb"[( \t\f\r\n\\]*")


class Undecided(Exception):  # noqa: N818  # it is no error: LibCST will know
    """`ast` does not tell apart what LibCST does."""


class Source:
    """A text that is being lowered."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes: list[ast.AST | None] = []
        """The nodes by number; None where `ast` does not say where they are."""
        self.in_string = 0
        """How many formatted strings enclose the node: before 3.12 places in them are not to be trusted."""
        self._lines: list[bytes] | None = None

    def add(self, node: ast.AST) -> SiteId:
        """Number a node."""
        number = len(self.nodes)
        self.nodes.append(None if self.in_string else node)
        return number  # type: ignore[return-value]  # calling the NewType would cost more than all the rest

    def has_parentheses(self, node: ast.Tuple) -> bool:
        """Whether a tuple that is not empty has parentheses of its own: `x[(a, b)]` rather than `x[a, b]`.

        Raises:
            Undecided: the text between its elements is too odd to tell.
        """
        first = node.elts[0]
        if (node.lineno, node.col_offset) == (first.lineno, first.col_offset):
            return False
        last = node.elts[-1]
        if (node.end_lineno, node.end_col_offset) == (last.end_lineno, last.end_col_offset):
            return False
        if self.in_string:
            raise Undecided
        opening = self._between((node.lineno, node.col_offset), (first.lineno, first.col_offset))
        until = (
            (node.end_lineno, node.end_col_offset)
            if last is first
            else (node.elts[1].lineno, node.elts[1].col_offset)
        )
        closing = self._between((first.end_lineno, first.end_col_offset), until)
        if not _ONLY_OPENS.fullmatch(opening) or b"#" in closing:
            raise Undecided
        unmatched = opening.count(b"(") - closing.partition(b",")[0].count(b")")
        if unmatched not in (0, 1):
            raise Undecided
        return unmatched == 1

    def _between(self, start: tuple[int | None, int | None], end: tuple[int | None, int | None]) -> bytes:
        """The text between two places as `ast` gives them: columns count bytes of UTF-8."""
        if self._lines is None:
            self._lines = _NEWLINE.split(self.text.encode())
        (line, column), (last, until) = start, end
        if line is None or column is None or last is None or until is None:
            raise Undecided
        if line == last:
            return self._lines[line - 1][column:until]
        whole = self._lines[line : last - 1]
        return b"\n".join((self._lines[line - 1][column:], *whole, self._lines[last - 1][:until]))
