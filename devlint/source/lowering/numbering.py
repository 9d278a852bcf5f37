"""Numbers for syntax nodes, by which everything after the lowering refers to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from devlint.model import SiteId


class UnknownSyntaxError(Exception):
    """A node that this lowering has no meaning for, and why."""

    def __init__(self, node: cst.CSTNode, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class NumberedBody(NamedTuple):
    """The body of a function or class: the numbers of its nodes follow each other."""

    name: str
    body: Sequence[cst.CSTNode]
    """Its statements; none where it is on the line of its header."""
    firsts: Sequence[int]
    """The first number that each of them may have given."""
    first: int
    end: int
    """Behind the last number."""


class Nodes(list[cst.CSTNode]):
    """The syntax nodes by number."""

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
