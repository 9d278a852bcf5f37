"""Built-in functions that ask objects for their classes and attributes."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source import ir
from devlint.source.machine.domain.values import (
    BOOL,
    FALSE,
    NONE,
    TOP,
    TRUE,
    Array,
    External,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.machine.heap.classes import class_of
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, Super
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.library.members import all_say, has_attribute


def _isinstance(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if len(passed) != 2:
        return BOOL
    answer = machine.is_instance(passed[0].value, passed[1].value)
    return BOOL if answer is None else Known(answer)


def _hasattr(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if len(passed) != 2 or not isinstance(passed[1].value, Known):
        return BOOL
    name = str(passed[1].value.value)
    return all_say(passed[0].value, lambda each: has_attribute(each, name))


def _getattr(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if (
        len(passed) < 2
        or not isinstance(passed[1].value, Known)
        or not isinstance(passed[1].value.value, str)
    ):
        return TOP
    found = machine.attribute(passed[0].value, passed[1].value.value, frame, node)
    if isinstance(found, Method) and len(passed) > 2 and not isinstance(found.receiver, Tensor):
        return passed[2].value
    return found


def _setattr(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    if len(passed) == 3 and isinstance(passed[1].value, Known) and isinstance(passed[1].value.value, str):
        machine.set_attribute(
            passed[0].value, passed[1].value.value, passed[2].value, frame, passed[2].expression
        )
    return NONE


def _super(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    function = frame.function
    if (
        len(passed) == 2
        and isinstance(passed[0].value, Reference)
        and isinstance(passed[0].value.target, Class)
    ):
        return machine.adopt(Super(passed[0].value.target, passed[1].value))
    if function is None or function.owner is None or not function.node.parameters:
        return TOP
    receiver = frame.scope.look_up(function.node.parameters[0].name)
    return machine.adopt(Super(function.owner, TOP if receiver is None else receiver))


def _type(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = passed[0].value if passed else TOP
    if isinstance(held, Reference) and isinstance(held.target, Instance):
        return class_of(held.target)
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return External(f"builtins.{held.target.kind}")
    return TOP


def _instantiate(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`type.__call__(cls, ...)`: what a metaclass leaves to Python."""
    return machine.instantiate(passed[0].value, passed[1:], frame, node) if passed else TOP


def _callable(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = passed[0].value if passed else TOP
    if isinstance(held, Reference):
        return TRUE if isinstance(held.target, Function | BoundMethod | Class) else BOOL
    return FALSE if isinstance(held, Known | Scalar | Tensor | Array) else BOOL


OBJECTS: dict[str, Handler] = {
    "isinstance": _isinstance,
    "hasattr": _hasattr,
    "getattr": _getattr,
    "setattr": _setattr,
    "super": _super,
    "type": _type,
    "type.__call__": _instantiate,
    "callable": _callable,
}
"""By their names in Python."""
