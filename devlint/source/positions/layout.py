"""What edits need to know of LibCST's nodes, once their spans have been measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from devlint.model import Action, EditRequest, SiteId
from devlint.source.edits import CallArgument, CallParts, Extent, Place
from devlint.source.positions.spans import Span

_PRIMARIES = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.BaseString,
    cst.List,
    cst.Set,
    cst.Dict,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.Ellipsis,
)
"""Expressions that `.name`, `[...]` and `(...)` may follow as they stand."""
_ABOUT_CALLS = frozenset({Action.APPEND_ARGUMENT, Action.KEEP_RECEIVER})


def anchors(request: EditRequest, nodes: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    """The nodes whose spans a request needs."""
    node = nodes[request.site]
    wanted = [node]
    if request.quoted is not None:
        wanted.append(nodes[request.quoted])
    if isinstance(node, cst.Call) and request.action in _ABOUT_CALLS:
        wanted += (node.func, *node.args)
        if isinstance(node.func, cst.Attribute):
            wanted.append(node.func.value)
    return wanted


class Layout:
    """Where LibCST's nodes stand."""

    def __init__(self, nodes: Sequence[cst.CSTNode], spans: Mapping[int, Span]) -> None:
        self._nodes = nodes
        self._spans = spans

    def place(self, site: SiteId) -> Place:
        """Where a node stands.

        Raises:
            KeyError: it was not measured.
        """
        node = self._nodes[site]
        span = self._spans[id(node)]
        inner = Extent(span.start, span.end)
        if isinstance(node, cst.BaseExpression) and not isinstance(node, cst.StarredElement):
            return Place(inner, Extent(span.outer_start, span.outer_end))
        return Place(inner, inner)

    def binds_looser(self, site: SiteId) -> bool:
        """Whether a trailer behind a node would go to a part of it only."""
        node = self._nodes[site]
        return isinstance(node, cst.BaseExpression) and not node.lpar and not isinstance(node, _PRIMARIES)

    def call(self, site: SiteId) -> CallParts | None:
        """The parts of a call.

        Raises:
            KeyError: they were not measured.
        """
        node = self._nodes[site]
        if not isinstance(node, cst.Call):
            return None
        function = node.func
        return CallParts(
            function_end=self._spans[id(function)].outer_end,
            receiver_end=(
                self._spans[id(function.value)].outer_end if isinstance(function, cst.Attribute) else None
            ),
            arguments=tuple(self._argument(argument) for argument in node.args),
            end=self._spans[id(node)].end,
        )

    def _argument(self, node: cst.Arg) -> CallArgument:
        span = self._spans[id(node)]
        return CallArgument(
            Extent(span.start, span.end),
            "" if node.keyword is None else node.keyword.value,
            isinstance(node.value, cst.GeneratorExp) and not node.value.lpar,
        )
