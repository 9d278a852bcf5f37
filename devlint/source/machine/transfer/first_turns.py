"""Branches that the first turn of a loop does not take, or that one turn takes alone, as its number tells."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.loops import Loop, enclosing
from devlint.source.machine.domain.values import Known, Scalar, Value, changed
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter

_LATER = {"eq": False, "ne": True, "gt": True}
"""Comparisons of the number of a turn with 0, each with the outcome that it has in later turns alone."""


def is_of_later_turns(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> bool:
    """Whether an outcome of a test is impossible in the first turn of a loop, which is being executed:
    `if number == 0: ... else: ...`. Such a loop has a turn more."""
    counted = _counted(test, taken=taken)
    held = None if counted is None else frame.scope.cells.get(counted)
    if not isinstance(held, Scalar) or not held.counter:
        return False
    for loop in enclosing(machine.execution.loop):
        if loop.frame is frame and counted in loop.names:
            loop.turn.skips = loop.turn.skips or loop.turn.is_first
            return loop.turn.is_first
    return False


def _counted(test: ir.Expression, *, taken: bool) -> str | None:
    """The name that a test compares with 0, if the outcome is that of later turns."""
    match test:
        case ir.Unary(operator="not", operand=inner):
            return _counted(inner, taken=not taken)
        case ir.Compare(left=ir.Name(name=name), rest=((relation, ir.Constant(value=0)),)):
            return name if _LATER.get(relation) is taken else None
        case ir.Name(name=name):
            return name if taken else None
        case _:
            return None


def as_turn(
    machine: Interpreter,
    relation: str,
    left: tuple[ir.Expression, Value],
    bound: Value,
    result: Value,
    frame: Frame,
) -> Value:
    """The result of a comparison, which remembers the loop if it asks for one turn of the innermost one: a
    function may be given it, `cell(x, step == 0)`."""
    loop, (node, held) = machine.execution.loop, left
    is_number = isinstance(held, Scalar) and held.counter and isinstance(bound, Known)
    if relation != "eq" or not is_number or loop is None or loop.frame is not frame:
        return result
    is_of_turn = isinstance(node, ir.Name) and node.name in loop.names
    return changed(result, turn_of=loop.site) if is_of_turn and isinstance(result, Scalar) else result


def taken_in_one_turn(
    machine: Interpreter, test: ir.Expression, held: Value, frame: Frame, *, taken: bool
) -> Loop | None:
    """The innermost loop, if at most one of its turns has an outcome of a test: `if number == 0`. `held` is
    the value of the test."""
    loop = machine.execution.loop
    if loop is None or machine.execution.periodic:
        return None
    if taken and isinstance(held, Scalar) and held.turn_of == loop.site:
        return loop
    if loop.frame is not frame:
        return None
    numbers = {
        name
        for name in loop.names
        if isinstance(number := frame.scope.cells.get(name), Scalar) and number.counter
    }
    return loop if _tells_one(test, numbers, taken=taken) else None


def _tells_one(test: ir.Expression, numbers: set[str], *, taken: bool) -> bool:
    """Whether an outcome of a test says that one of these numbers equals a constant."""
    match test:
        case ir.Unary(operator="not", operand=inner):
            return _tells_one(inner, numbers, taken=not taken)
        case ir.Boolean(operator=operator, left=left, right=right) if (operator == "and") is taken:
            return _tells_one(left, numbers, taken=taken) or _tells_one(right, numbers, taken=taken)
        case ir.Compare(left=ir.Name(name=name), rest=((relation, ir.Constant()),)):
            return name in numbers and relation == ("eq" if taken else "ne")
        case ir.Name(name=name):
            return not taken and name in numbers
        case _:
            return False
