"""Activations, and what is passed to the functions that they are of."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import Value
from devlint.source.machine.heap.files import File, Function, Scope


class Passed(NamedTuple):
    """An argument of a call, with its expression."""

    value: Value
    expression: ir.Expression
    site: SiteId
    keyword: str = ""
    stars: int = 0


_numbers = count(1)


class Frame:
    """The activation of a function, a class body or a file."""

    __slots__ = ("file", "function", "number", "returns", "scope", "statement", "yields")

    def __init__(self, file: File, scope: Scope, function: Function | None = None) -> None:
        self.file = file
        self.scope = scope
        self.function = function
        self.returns: list[Value] = []
        self.yields: list[Value] = []
        self.number = next(_numbers)
        """Tells activations apart."""
        self.statement: ir.Statement | None = None
        """The statement that is being run."""

    def site(self, node: ir.Expression | ir.Statement | ir.Parameter) -> SiteId:
        """The place of a node, among all files."""
        return SiteId(self.file.base + node.id)
