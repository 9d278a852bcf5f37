"""Code that cannot fail, so that no exception handler is reached."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Reference, alternatives
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.members import has_attribute
from devlint.source.machine.modules.state import module_of
from devlint.source.machine.transfer.interpreter import Interpreter

_OF_MODULES = frozenset({"parameters", "buffers"})
"""Methods that every module has."""


def cannot_fail(machine: Interpreter, block: ir.Block, frame: Frame) -> bool:
    """Whether a block does nothing but import torch, without which no tensor exists, or a file that needs no
    more; or return or name an attribute that exists, such as the device of a module's first parameter."""
    match block:
        case (ir.Import(module="torch", name=""),):
            return True
        case (ir.Import() as node,):
            return machine.import_cannot_fail(node, frame)
        case (ir.Return(value=value) | ir.Assign(value=value),) if value is not None:
            return _is_there(machine, value, frame)
        case _:
            return False


def _is_there(machine: Interpreter, expression: ir.Expression, frame: Frame) -> bool:
    match expression:
        case ir.Attribute(value=owner, name=name):
            held = machine.evaluate(owner, frame)
            there = all(has_attribute(each, name) for each in alternatives(held))
            return there and _is_there(machine, owner, frame)
        case ir.CallExpression(function=ir.Name(name="next"), arguments=(ir.Argument(value=iterable),)):
            held = machine.evaluate(iterable, frame)
            first = held.target if isinstance(held, Reference) else None
            return (
                isinstance(first, Container) and first.length > 0 and _asks_module(machine, iterable, frame)
            )
        case ir.Name(name=name):
            return frame.scope.look_up(name) is not None
        case _:
            return False


def _asks_module(machine: Interpreter, expression: ir.Expression, frame: Frame) -> bool:
    match expression:
        case ir.CallExpression(function=ir.Attribute(value=owner, name=name), arguments=()) if (
            name in _OF_MODULES
        ):
            return module_of(machine.evaluate(owner, frame)) is not None and _is_there(machine, owner, frame)
        case _:
            return False
