"""Numbers of syntax nodes, by which all later steps refer to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from devlint.model import SiteId


class UnknownSyntaxError(Exception):
    """A node that cannot be lowered, with the reason."""

    def __init__(self, node: cst.CSTNode, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class NumberedBody(NamedTuple):
    """The body of a function or class, whose nodes have consecutive numbers."""

    name: str
    body: Sequence[cst.CSTNode]
    """Its statements; none if the body is on the line of the header."""
    firsts: Sequence[int]
    """The lowest number that each of them may have."""
    first: int
    end: int
    """The number after the last one."""


class Nodes(list[cst.CSTNode]):
    """The syntax nodes, by number."""

    __slots__ = ("scopes",)

    def __init__(self) -> None:
        super().__init__()
        self.scopes: dict[cst.CSTNode, NumberedBody] = {}
        """The bodies of functions and classes, inner ones first."""

    def add(self, node: cst.CSTNode) -> SiteId:
        """Number a node."""
        number = len(self)
        self.append(node)
        return number  # type: ignore[return-value]  # calling the NewType would cost more than all the rest
