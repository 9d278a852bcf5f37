"""Branches that the first turn of a loop does not take, as the number of the turn tells."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.loops import enclosing
from devlint.source.machine.domain.values import Scalar
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
