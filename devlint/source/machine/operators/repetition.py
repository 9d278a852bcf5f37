"""Whether a program copies the same values again and again."""

from __future__ import annotations

from devlint.model import Device, HotPath, is_accelerator, may_be_accelerator
from devlint.operators import DeviceRule, ResultKind
from devlint.source import ir
from devlint.source.machine.domain.loops import Loop, is_inside
from devlint.source.machine.domain.values import Array, Tensor, Value
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.binding import Bound
from devlint.source.walk import once_a_node, walk

_PERHAPS = (ir.Boolean, ir.Conditional, ir.Comprehension)
"""Expressions that may not evaluate some of theirs, or more than once."""


def made_in(machine: Machine, bound: Bound) -> Loop | None:
    """The loop that makes the values of a new tensor: the present one, or that which has made the array that
    holds them, if a variable keeps it."""
    data = bound.arguments[0][1].value if bound.arguments else None
    return data.written if isinstance(data, Array) and data.held else machine.execution.loop


def is_invariant(machine: Machine, tensor: Tensor) -> bool:
    """Whether the innermost loop, one that belongs to the running function itself, does not change a tensor.
    Whether it has many turns is known at the end."""
    loop = machine.execution.loop
    if loop is None or not loop.may_recur:
        return False
    return loop.whole is None and loop.frame is machine.frame and not is_inside(tensor.born, loop)


def is_optimized(machine: Machine, tensor: Tensor) -> bool:
    """Whether an optimizer may change a tensor: what it was given, or a parameter on an accelerator."""
    is_trained = tensor.role == "parameter" and may_be_accelerator(tensor.device)
    return is_trained or tensor.serial in machine.optimized


def is_uploaded_before(machine: Machine, tensor: Tensor, target: Device) -> bool:
    """Whether the present turn of the innermost loop has made a copy of a tensor. Notes that it does."""
    loop, statement = machine.execution.loop, machine.frame.statement
    number = tensor.serial if tensor.source is None else tensor.source.number
    if loop is None or not number:
        return False
    copy = number, target
    was_made = loop.turn.uploaded.get(copy) == machine.written
    if statement is not None and id(statement) in loop.constant and _is_executed_whole(statement):
        loop.turn.uploaded[copy] = machine.written
    return was_made


def note_write(machine: Machine, bound: Bound) -> None:
    """Count an operator that changes a tensor in place which may be on the host, or another one that has the
    same memory."""
    operator = bound.operator
    if operator.result.kind is ResultKind.SELF or operator.rule is DeviceRule.COPIES_INTO:
        machine.written += may_be_on_host(_first(bound))
        return
    in_place = bound.value("inplace")
    machine.written += (
        in_place is not None and machine.truth(in_place) is not False and may_be_on_host(_first(bound))
    )
    machine.written += bound.has_value("out") and may_be_on_host(bound.value("out"))


def _first(bound: Bound) -> Value | None:
    return bound.arguments[0][1].value if bound.arguments else None


def may_be_on_host(written: Value | None) -> bool:
    """Whether what is changed in place may be a tensor on the host, or something that holds one."""
    return not (isinstance(written, Tensor) and is_accelerator(written.device))


@once_a_node
def _is_executed_whole(statement: ir.Statement) -> bool:
    """Whether a statement evaluates each of its expressions, and once."""
    return not any(isinstance(each, _PERHAPS) for each in walk((statement,)))


def is_repeated(tensor: Tensor, loop: Loop | None) -> bool:
    """Whether an enclosing loop, or the callers of a forward, use the same tensor repeatedly."""
    kept = bool(tensor.attribute) and tensor.left_behind
    while loop is not None:
        if kept and loop.whole is HotPath.FORWARD:
            return True
        if is_inside(tensor.born, loop):
            return False
        if loop.whole is HotPath.FORWARD or loop.may_recur:
            return True
        loop = loop.outer
    return False
