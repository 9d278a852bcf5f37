"""What the methods of lists and dictionaries do."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import join
from devlint.source.flow.state.values import SCALAR, TOP, Container, Literal, Method, Value
from devlint.source.flow.syntax.elements import item, iterate
from devlint.source.walk import path


def view(name: str, element: Value) -> Value:
    """`.items()`, `.values()` and `.keys()` of what holds one kind of thing under names."""
    match name:
        case "items":
            return Container(Container(TOP, ((0, SCALAR), (1, element)), mutable=False))
        case "values":
            return Container(element)
        case _:
            return Container(SCALAR)


VIEWS = frozenset({"items", "values", "keys"})
"""Methods of what holds things under names."""


def call_of_container(frame: Frame, method: Method, receiver: Container, passed: Sequence[Passed]) -> Value:
    """The value of a method call on a list, a dict or a set."""
    match method.name:
        case "append" | "add" | "appendleft" if passed:
            _grow(frame, method, receiver, passed[0].value)
            return Literal(None)
        case "extend" | "update" if passed:
            _grow(frame, method, receiver, iterate(passed[0].value))
            return Literal(None)
        case "insert" | "setdefault" if len(passed) > 1:
            _grow(frame, method, receiver, passed[1].value)
            return Literal(None) if method.name == "insert" else TOP
        case "items" | "values" | "keys":
            return view(method.name, iterate(receiver))
        case "get" | "pop" if passed and isinstance(passed[0].value, Literal):
            return item(receiver, passed[0].value.value)
        case "get" | "pop":
            found = iterate(receiver)
            return join(found, passed[1].value) if len(passed) > 1 else found
        case "copy":
            return receiver
        case _:
            return TOP


def _grow(frame: Frame, method: Method, receiver: Container, value: Value) -> None:
    """A list that grows in a loop keeps one element that covers all."""
    name = path(method.receiver_expression)
    if not name:
        return
    grown = value if receiver.items == () else join(iterate(receiver), value)
    frame.rebind(name, Container(grown))
