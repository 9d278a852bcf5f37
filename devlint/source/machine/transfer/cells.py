"""The cells of the heap that expressions stand for."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Object, Reference, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import text

Narrowing = tuple[Object, object, Value, Value]
"""The object and the cell, what that held, and what it holds where a test had its outcome."""


def cell(machine: Interpreter, expression: ir.Expression, frame: Frame) -> tuple[Object, object] | None:
    """The cell that a name, an attribute of an object or an element stands for."""
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
    """What an expression holds whose attribute is looked at; a name may be one of a scope further out."""
    place = cell(machine, expression, frame)
    if place is None:
        return frame.scope.look_up(expression.name) if isinstance(expression, ir.Name) else None
    return place[0].cells.get(place[1])


def _cell_of_element(
    machine: Interpreter, expression: ir.Subscript, frame: Frame
) -> tuple[Object, object] | None:
    """The cell of an element by a key or a position that is written out, of one that is looked at by itself,
    as `fitting` does, or of all elements where nothing tells one from another."""
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
