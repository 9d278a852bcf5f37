"""The cells of the heap to which expressions refer."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Object, Reference, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import text

Narrowing = tuple[Object, object, Value, Value]
"""A narrowed cell: the object, the key, its value, and its value if the test had the outcome."""


def cell(machine: Interpreter, expression: ir.Expression, frame: Frame) -> tuple[Object, object] | None:
    """The cell of a name, an attribute of an object, or an element."""
    if isinstance(expression, ir.Name):
        scope = frame.scope.redirected.get(expression.name, frame.scope)
        return (scope, expression.name) if expression.name in scope.cells else None
    if isinstance(expression, ir.Attribute):
        owner = _owner(machine, expression.value, frame)
        if isinstance(owner, Reference) and isinstance(owner.target, Instance):
            return owner.target, expression.name
    if isinstance(expression, ir.Subscript):
        return _cell_of_element(machine, expression, frame)
    return None


def _owner(machine: Interpreter, expression: ir.Expression, frame: Frame) -> Value | None:
    """The value of an attribute's owner. A name may belong to an outer scope."""
    place = cell(machine, expression, frame)
    if place is None:
        return frame.scope.look_up(expression.name) if isinstance(expression, ir.Name) else None
    return place[0].cells.get(place[1])


def _cell_of_element(
    machine: Interpreter, expression: ir.Subscript, frame: Frame
) -> tuple[Object, object] | None:
    """The cell of an element: that of a literal key or position; that of the element that is being narrowed,
    as `fitting` does; or that of all elements if they are not distinguished."""
    written = text(expression)
    if written in frame.scope.cells:
        return frame.scope, written
    if len(expression.indices) != 1:
        return None
    place = cell(machine, expression.value, frame)
    owner = None if place is None else place[0].cells.get(place[1])
    held = owner.target if isinstance(owner, Reference) else None
    if not isinstance(held, Container):
        return None
    match expression.indices:
        case (ir.Constant(value=key),) if key in held.cells:
            return held, key
        case _:
            return (held, ELEMENT) if {*held.cells} == {ELEMENT} else None
