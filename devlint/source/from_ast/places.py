"""Where expressions stand as `ast` has it: as with LibCST, without their own parentheses."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from devlint.model import Site, SiteId
from devlint.model.lines import Lines
from devlint.source.from_ast.module import Sketch

TOP_LEVEL = "<module>"

_AS_WRITTEN = (
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.Subscript,
    ast.Compare,
    ast.BinOp,
    ast.UnaryOp,
    ast.Constant,
    ast.List,
    ast.Dict,
)
"""Expressions with one node and one number each, whose own parentheses are never part of them."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Places:
    """The sites that were asked for."""

    def __init__(self, sites: dict[SiteId, Site]) -> None:
        self._sites = sites

    def site(self, number: SiteId) -> Site:
        """The place of a site.

        Raises:
            KeyError: the site was not asked for.
        """
        return self._sites[number]

    def edit(self, request: object) -> None:
        """Edits need layout, and so LibCST."""


def places(text: str, path: str, sketch: Sketch, sites: Collection[SiteId]) -> Places | None:
    """Resolve sites; None if `ast` does not say where one of them stands."""
    lines = Lines(text)
    found: dict[SiteId, Site] = {}
    for number in sites:
        node = sketch.nodes[number]
        if isinstance(node, ast.arg):
            start = _offset(lines, node.lineno, node.col_offset)
            end = start + len(node.arg)
        elif isinstance(node, _AS_WRITTEN):
            start = _offset(lines, node.lineno, node.col_offset)
            end = _offset(lines, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        else:
            return None
        function = _function(sketch.tree.body, (node.lineno, node.col_offset))
        found[number] = Site(path, *lines.position(start), *lines.position(end), start, end, function)
    return Places(found)


def _offset(lines: Lines, line: int, column: int) -> int:
    """The offset in characters of a column in bytes of UTF-8."""
    text = lines.text(line)
    before = column if text.isascii() else len(text.encode()[:column].decode())
    return lines.start(line) + before


def _function(body: list[ast.stmt], place: tuple[int, int]) -> str:
    """The qualified name of the function or class in whose body a place is."""
    names: list[str] = []
    inside: ast.AST | None = _holding(body, place)
    while inside is not None:
        if isinstance(inside, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if place < _start(inside.body[0]):
                break
            names.append(inside.name)
        inside = next((held for block in _blocks(inside) if (held := _holding(block, place))), None)
    return ".".join(names) or TOP_LEVEL


def _blocks(node: ast.AST) -> Iterator[list[ast.AST]]:
    for name in _BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _holding(block: Collection[ast.AST], place: tuple[int, int]) -> ast.AST | None:
    """The statement, handler or case of a block that a place is in."""
    return next((node for node in block if _start(node) <= place < _end(node)), None)


def _start(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.match_case):
        return _start(node.pattern)
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = decorators[0] if decorators else node
    return first.lineno, first.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.match_case):
        return _end(node.body[-1])
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
