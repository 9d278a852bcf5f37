"""The cells of the heap to which expressions refer."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Known, Object, Reference, Value
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
        return _cell_of_attribute(machine, expression.value, expression.name, frame)
    match expression:
        case ir.CallExpression(function=ir.Name(name="getattr"), arguments=(owner, asked, *_)) if isinstance(
            asked.value, (ir.Constant, ir.Name, ir.Attribute)
        ):
            name = machine.evaluate(asked.value, frame)
            if isinstance(name, Known) and isinstance(name.value, str):
                return _cell_of_attribute(machine, owner.value, name.value, frame)
        case _:
            pass
    if isinstance(expression, ir.Subscript):
        return _cell_of_element(machine, expression, frame)
    return None


def _cell_of_attribute(
    machine: Interpreter, place: ir.Expression, name: str, frame: Frame
) -> tuple[Object, object] | None:
    """The cell of an attribute, set or not, of an object, or of what a program has set on an argument."""
    owner = _owner(machine, place, frame)
    if isinstance(owner, Reference) and isinstance(owner.target, Instance):
        return owner.target, name
    assigned = machine.assigned.of(owner) if isinstance(owner, Input) else None
    return (assigned, name) if assigned is not None and name in assigned.cells else None


def _owner(machine: Interpreter, expression: ir.Expression, frame: Frame) -> Value | None:
    """The value of an attribute's owner. A name may belong to an outer scope."""
    place = cell(machine, expression, frame)
    if place is None:
        return frame.scope.look_up(expression.name) if isinstance(expression, ir.Name) else None
    return place[0].cells.get(place[1])


def _cell_of_element(
    machine: Interpreter, expression: ir.Subscript, frame: Frame
) -> tuple[Object, object] | None:
    """The cell of an element: that of a known key or position; that of the element that is being narrowed,
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
    (index,) = expression.indices
    match machine.evaluate(index, frame) if isinstance(index, (ir.Constant, ir.Name)) else None:
        case Known(value=key) if key in held.cells:
            return held, key
        case _:
            return (held, ELEMENT) if {*held.cells} == {ELEMENT} else None


def note_copy(machine: Interpreter, node: ir.Assign, frame: Frame) -> None:
    """Record that a name holds what another name, an attribute or an element holds, before the assignment of
    `first = args[0]` or `self.first = first`."""
    match node.targets:
        case (ir.Name(name=name),):
            origin = cell(machine, node.value, frame)
            if origin is None:
                frame.copies.pop(name, None)
            else:
                frame.copies[name] = origin
        case (ir.Attribute() as target,) if isinstance(node.value, ir.Name):
            copy = cell(machine, target, frame)
            if copy is not None:
                frame.copies.setdefault(node.value.name, copy)


def write_narrowed(
    machine: Interpreter, place: tuple[Object, object], before: Value, after: Value, frame: Frame
) -> Iterator[Narrowing]:
    """Set a cell to what a test has left of its value, and with it the cells that hold the same value."""
    for target, key in (place, *_beside(place, frame)):
        if target.cells.get(key) is before:
            machine.store.write(target, key, after)
            yield target, key, before, after


def _beside(place: tuple[Object, object], frame: Frame) -> Iterator[tuple[Object, object]]:
    """The cells of which a cell is a copy, or which are copies of it."""
    for name, origin in frame.copies.items():
        copy: tuple[Object, object] = frame.scope, name
        if place in (copy, origin):
            yield origin if place == copy else copy
