"""Where expressions stand as `ast` has it, as with LibCST, and the changes that are asked for there."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from devlint.model import Edit, EditRequest, Site, SiteId
from devlint.source.edits import work_out
from devlint.source.from_ast.layout import Layout
from devlint.source.from_ast.module import Sketch
from devlint.source.from_ast.positions import Positions
from devlint.source.from_ast.source import Undecided

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
    """The sites and edits that were asked for."""

    def __init__(self, sites: dict[SiteId, Site], edits: dict[EditRequest, Edit | None]) -> None:
        self._sites = sites
        self._edits = edits

    def site(self, number: SiteId) -> Site:
        """The place of a site.

        Raises:
            KeyError: the site was not asked for.
        """
        return self._sites[number]

    def edit(self, request: EditRequest) -> Edit | None:
        """The edit that a request comes to; see `source.edits`.

        Raises:
            KeyError: the edit was not asked for.
        """
        return self._edits[request]


def places(
    text: str, path: str, sketch: Sketch, sites: Collection[SiteId], edits: Collection[EditRequest] = ()
) -> Places | None:
    """Resolve sites and edits; None if `ast` does not say where one of them stands."""
    positions = Positions(text)
    layout = Layout(sketch, positions)
    try:
        found = {number: _site(path, sketch, positions, number) for number in sites}
        return Places(found, {request: work_out(request, layout, text) for request in edits})
    except Undecided:
        return None


def _site(path: str, sketch: Sketch, positions: Positions, number: SiteId) -> Site:
    node = sketch.nodes[number]
    if isinstance(node, ast.arg):
        start = positions.extent(node).start
        end = start + len(node.arg)
    elif isinstance(node, _AS_WRITTEN):
        start, end = positions.extent(node)
    else:
        raise Undecided
    lines = positions.lines
    function = _function(sketch.tree.body, (node.lineno, node.col_offset))
    return Site(path, *lines.position(start), *lines.position(end), start, end, function)


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


def _holding(block: Sequence[ast.AST], place: tuple[int, int]) -> ast.AST | None:
    """The statement, handler or case of a block that a place is in; they stand in order."""
    before = bisect_right(block, place, key=_start)
    return block[before - 1] if before and place < _end(block[before - 1]) else None


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
