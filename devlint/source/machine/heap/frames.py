"""Activations, and calls as seen by the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import TOP, Object, Reference, Value
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.objects import Container


class Passed(NamedTuple):
    """An argument of a call, with its expression."""

    value: Value
    expression: ir.Expression
    site: SiteId
    keyword: str = ""
    stars: int = 0


_numbers = count(1)


class KeptTest(NamedTuple):
    """A test whose outcome is stored in a name."""

    test: ir.Expression
    outcome: Value
    read: list[tuple[Object, object, Value | None]]
    """The cells that the test read, and their values."""


class Resumed(NamedTuple):
    """The loops around the body of a generator from which the turns of a loop draw that began later."""

    before: Loop
    """Stands for one turn of the loop that creates it: what the body does outside of its loops that yield."""
    turns: Loop
    """Stands for the turns that draw, each of which resumes a loop that yields."""


class Frame:
    """The activation of a function, a class body or a file."""

    __slots__ = (
        "arrived_behind", "aside", "at_yield", "branches", "closures", "copies", "file", "function",
        "kept_tests", "narrowed", "number", "resumed", "returns", "scope", "stand_ins", "statement", "yields",
    )  # fmt: skip

    def __init__(self, file: File, scope: Scope, function: Function | None = None, branches: int = 0) -> None:
        self.branches = branches
        """The number of branches, taken on some paths only, in which it was called."""
        self.file = file
        self.scope = scope
        self.function = function
        self.returns: list[Value] = []
        self.stand_ins: list[Value] = []
        """The values that it returns on paths on which something is empty."""
        self.yields: Container | None = None
        """A list of what it yields, if it is the body of a generator."""
        self.resumed: Resumed | None = None
        """The loops around it, if it is the body of a generator that was created before it is drawn from."""
        self.at_yield: Callable[[Value], None] | None = None
        """What runs while it is suspended, if that is known: the body of a `with`."""
        self.aside: list[tuple[object, Value]] = []
        """The names, with their values, of paths that have left the present turn of a loop."""
        self.number = next(_numbers)
        """The identity of the activation."""
        self.statement: ir.Statement | None = None
        """The statement that is being executed."""
        self.narrowed: list[tuple[Object, object, Value, Value | None]] = []
        """The attributes that tests have narrowed for the rest of the function: the object, the key, the
        values before and after."""
        self.kept_tests: dict[str, KeptTest] = {}
        """The names that hold outcomes of tests."""
        self.closures: list[Function] = []
        """The functions that it has created, which may read its names."""
        self.copies: dict[str, tuple[Object, object]] = {}
        """The names to which a statement has assigned what another cell holds, with that cell."""
        self.arrived_behind: dict[SiteId, frozenset[int]] = {}
        """For each `and` and `or` whose second part may have been skipped: the serial numbers of the tensors
        whose values the host has read if it was not skipped."""

    def site(self, node: ir.Expression | ir.Statement | ir.Parameter) -> SiteId:
        """The site of a node, unique among all files."""
        return self.file.base + node.id  # type: ignore[return-value]  # calling the NewType takes longer


class Call(NamedTuple):
    """A call: its arguments, the calling activation, and the expression."""

    passed: Sequence[Passed]
    frame: Frame
    node: ir.Expression

    @property
    def site(self) -> SiteId:
        """The site of the call."""
        return self.frame.site(self.node)

    @property
    def function(self) -> ir.Expression:
        """The expression of the callee."""
        return self.node.function if isinstance(self.node, ir.CallExpression) else self.node

    @property
    def receiver(self) -> ir.Expression:
        """The expression of a method's receiver."""
        if isinstance(self.node, ir.CallExpression) and isinstance(self.node.function, ir.Attribute):
            return self.node.function.value
        return self.node

    @property
    def values(self) -> list[Value]:
        """The values of the arguments."""
        return [each.value for each in self.passed]

    @property
    def first(self) -> Value:
        """The first argument's value; the top if there is none."""
        return self.passed[0].value if self.passed else TOP

    def argument(self, name: str, position: int | None = None) -> Passed | None:
        """The argument passed by this name or at this position."""
        for argument in self.passed:
            if argument.keyword == name:
                return argument
        if position is None:
            return None
        positional = [argument for argument in self.passed if not argument.keyword and not argument.stars]
        return positional[position] if position < len(positional) else None

    def value(self, name: str, position: int | None = None) -> Value | None:
        """The value passed by this name or at this position."""
        found = self.argument(name, position)
        return None if found is None else found.value

    def passing(self, passed: Sequence[Passed]) -> Call:
        """The call with other arguments."""
        return Call(passed, self.frame, self.node)


def cell_of(place: ir.Expression, frame: Frame) -> tuple[Object, str] | None:
    """The object and the key under which the value of a name, or of an attribute of a named object, is kept;
    None for other expressions."""
    match place:
        case ir.Name(name=name):
            return frame.scope.home(name), name
        case ir.Attribute(value=ir.Name(name=owner), name=name):
            held = frame.scope.home(owner).cells.get(owner)
            return (held.target, name) if isinstance(held, Reference) else None
        case _:
            return None
