"""The part of the machine that gives the transfer functions to the lower packages, as methods."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Value
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Elements
from devlint.source.machine.transfer import (
    arithmetic,
    attribute_assignment,
    attributes,
    calls,
    elements,
    instances,
    iteration,
)
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.truth import truth


class Evaluation:
    """Evaluates attributes, calls, elements, operators and tests."""

    def attribute(self: Interpreter, owner: Value, name: str, frame: Frame, node: ir.Expression) -> Value:
        """`owner.name`."""
        return attributes.attribute(self, owner, name, frame, node)

    def set_attribute(
        self: Interpreter, owner: Value, name: str, value: Value, frame: Frame, node: ir.Expression
    ) -> None:
        """`owner.name = value`."""
        attribute_assignment.set_attribute(self, owner, name, value, frame, node)

    def call(self: Interpreter, callee: Value, call: Call) -> Value:
        """Call a value."""
        return calls.call_value(self, callee, call)

    def instantiate(self: Interpreter, callee: Value, call: Call) -> Value:
        """Create an object of a class of the project as `type.__call__` does."""
        return calls.instantiate(self, callee, call)

    def method_of(self: Interpreter, owner: Value, name: str) -> Value | None:
        """A method that a class of the project defines, bound to an object."""
        return attributes.method_of(self, owner, name)

    def elements(
        self: Interpreter, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement
    ) -> Elements:
        """The elements that iteration yields."""
        return iteration.elements(self, iterable, frame, node)

    def element(self: Interpreter, owner: Passed, index: Passed, frame: Frame, node: ir.Expression) -> Value:
        """`owner[index]`."""
        return elements.element(self, owner.value, owner, [index], frame, node)

    def operation(
        self: Interpreter, operator: str, operands: tuple[Passed, Passed], frame: Frame, node: ir.Expression
    ) -> Value:
        """`left operator right`."""
        left, right = operands
        written = ir.Binary(node.id, operator, left.expression, right.expression)
        return arithmetic.binary(self, written, left.value, right.value, frame)

    def is_instance(self: Interpreter, held: Value, classes: Value) -> bool | None:
        """`isinstance(held, classes)`."""
        return instances.is_instance(held, classes)

    def truth(self: Interpreter, held: Value) -> bool | None:
        """The truth value; None if it is not known."""
        return truth(self, held)
