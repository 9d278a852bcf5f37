"""The layout of LibCST's nodes that edits need: their parentheses, and the parts of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from devlint.model import SiteId
from devlint.source.edits import CallArgument, CallParts, Extent, NodeExtents

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
"""Expressions to which `.name`, `[...]` and `(...)` can be appended without parentheses."""


class Layout:
    """The positions of LibCST's nodes. Each method raises `KeyError` for a node that was not measured."""

    def __init__(self, nodes: Sequence[cst.CSTNode], extent: Callable[[cst.CSTNode], Extent]) -> None:
        self._nodes = nodes
        self._extent = extent

    def place(self, site: SiteId) -> NodeExtents:
        """The position of a node."""
        node = self._nodes[site]
        return NodeExtents(self._extent(node), self._outer(node))

    def binds_looser(self, site: SiteId) -> bool:
        """Whether a trailer after a node would apply only to a part of it."""
        node = self._nodes[site]
        return isinstance(node, cst.BaseExpression) and not node.lpar and not isinstance(node, _PRIMARIES)

    def call(self, site: SiteId) -> CallParts | None:
        """The parts of a call."""
        node = self._nodes[site]
        if not isinstance(node, cst.Call):
            return None
        function = node.func
        return CallParts(
            function_end=self._outer(function).end,
            receiver_end=self._outer(function.value).end if isinstance(function, cst.Attribute) else None,
            arguments=tuple(self._argument(argument) for argument in node.args),
            end=self._extent(node).end,
        )

    def _outer(self, node: cst.CSTNode) -> Extent:
        """The position of a node with its own parentheses."""
        if not isinstance(node, cst.BaseExpression) or isinstance(node, cst.StarredElement) or not node.lpar:
            return self._extent(node)
        return Extent(self._extent(node.lpar[0]).start, self._extent(node.rpar[-1]).end)

    def _argument(self, node: cst.Arg) -> CallArgument:
        return CallArgument(
            self._extent(node),
            "" if node.keyword is None else node.keyword.value,
            isinstance(node.value, cst.GeneratorExp) and not node.value.lpar,
        )
