"""What edits need to know of the nodes of `ast`: with parentheses, keywords and stars."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.model import SiteId
from devlint.source.edits import CallArgument, CallParts, Extent, Place
from devlint.source.from_ast.module import Sketch
from devlint.source.from_ast.parentheses import closing, next_token, opening
from devlint.source.from_ast.positions import Positions
from devlint.source.from_ast.source import Undecided

_PRIMARIES = (
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.Subscript,
    ast.JoinedStr,
    ast.List,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)
"""Expressions that `.name`, `[...]` and `(...)` may follow as they stand, besides texts and singletons."""
_ELSEWHERE = (ast.Tuple, ast.GeneratorExp, ast.BoolOp, ast.Starred, ast.Slice)
"""Where LibCST has another place: parentheses may be a part of the first two, `a and b and c` is one node in
`ast` and two in LibCST's tree, and the last two are no expressions there."""


class Layout:
    """Where the nodes of `ast` stand, as `positions.layout` has it of LibCST's.

    Each of its methods raises `Undecided` where only LibCST can tell.
    """

    def __init__(self, sketch: Sketch, positions: Positions) -> None:
        self._sketch = sketch
        self._positions = positions
        self._text = positions.text

    def place(self, site: SiteId) -> Place:
        """Where a node stands."""
        node = self._node(site)
        inner = self._extent(node)
        if isinstance(node, ast.Expr):
            return Place(inner, inner)
        if not isinstance(node, ast.expr) or isinstance(node, _ELSEWHERE):
            raise Undecided
        return Place(inner, self._with_parentheses(node, inner))

    def binds_looser(self, site: SiteId) -> bool:
        """Whether a trailer behind a node would go to a part of it only."""
        node = self._node(site)
        if not isinstance(node, ast.expr) or isinstance(node, _PRIMARIES):
            return False
        if isinstance(node, ast.Constant) and not _is_number(node.value):
            return False
        place = self.place(site)
        return place.inner == place.outer

    def call(self, site: SiteId) -> CallParts | None:
        """The parts of a call."""
        node = self._node(site)
        if not isinstance(node, ast.Call):
            return None
        end = self._extent(node).end
        function_end = self._closed(node.func, end)
        receiver_end = None
        if isinstance(node.func, ast.Attribute):
            receiver_end = self._closed(node.func.value, function_end)
        return CallParts(function_end, receiver_end, tuple(self._arguments(node, function_end, end)), end)

    def _arguments(self, call: ast.Call, function_end: int, end: int) -> Iterator[CallArgument]:
        """The arguments in the order of the text."""
        before = function_end
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        for argument in sorted(given, key=self._extent):
            value = argument.value if isinstance(argument, ast.keyword) else argument
            if isinstance(value, ast.GeneratorExp) and self._extent(value).end == end:
                yield CallArgument(self._extent(value), "", bare_generator=True)
                return
            # Before the first one stands the call's parenthesis, before each of the others a comma.
            separator = next_token(self._text, before, end)
            start = next_token(self._text, separator + 1, end)
            before = self._closed(value, end - 1)
            keyword = (argument.arg if isinstance(argument, ast.keyword) else None) or ""
            yield CallArgument(Extent(start, before), keyword)

    def _closed(self, node: ast.expr, until: int) -> int:
        """Behind a node and the parentheses that close directly behind it."""
        end = self._extent(node).end
        return next(reversed(closing(self._text, end, until)), end)

    def _with_parentheses(self, node: ast.expr, inner: Extent) -> Extent:
        around = self._around(node)
        parent = self._extent(around)
        siblings = [self._extent(child) for child in _children(around) if child is not node]
        before = max((place.end for place in siblings if place.end <= inner.start), default=parent.start)
        behind = min((place.start for place in siblings if place.start >= inner.end), default=parent.end)
        if not before <= inner.start <= inner.end <= behind:
            raise Undecided  # a decorator, which stands before what it is a part of
        opens = opening(self._text, before, inner.start)
        closes = closing(self._text, inner.end, behind)
        pairs = min(len(opens), len(closes))
        if len(opens) == len(closes) and _encloses(around, node):
            pairs -= 1
        elif pairs and isinstance(around, (ast.With, ast.AsyncWith)):
            raise Undecided  # they may be the statement's
        return Extent(opens[-pairs], closes[pairs - 1]) if pairs > 0 else inner

    def _around(self, node: ast.expr) -> ast.AST:
        """The innermost node with a position that another one is a part of."""
        extent = self._extent(node)
        level: Iterator[ast.AST] = iter(self._sketch.tree.body)
        around: ast.AST | None = None
        while True:
            inside = next((child for child in level if child is node or self._holds(child, extent)), None)
            if inside is None or (inside is node and around is None):
                raise Undecided
            if inside is node:
                assert around is not None
                return around
            around = inside
            level = _children(inside)

    def _holds(self, node: ast.AST, extent: Extent) -> bool:
        start, end = self._extent(node)
        return start <= extent.start and extent.end <= end

    def _extent(self, node: ast.AST) -> Extent:
        return self._positions.extent(node)

    def _node(self, site: SiteId) -> ast.AST:
        node = self._sketch.nodes[site]
        if node is None:
            raise Undecided
        return node


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes with a position directly below a node; those without one are looked through."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _children(child)


def _encloses(node: ast.AST, child: ast.expr) -> bool:
    """Whether the parentheses directly around a child may be its parent's: those of a call or of bases."""
    match node:
        case ast.Call(args=[alone], keywords=[]) | ast.ClassDef(bases=[alone], keywords=[]):
            return alone is child
        case _:
            return False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)
