"""Whether a program copies the same values again and again."""

from __future__ import annotations

from devlint.model import HotPath, may_be_accelerator
from devlint.source.machine.domain.loops import Loop, is_inside
from devlint.source.machine.domain.values import Array, Tensor
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.binding import Bound


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
