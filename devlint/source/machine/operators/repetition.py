"""Whether a program copies the same values again and again."""

from __future__ import annotations

from devlint.model import HotPath
from devlint.source.machine.domain.loops import FEW_TURNS, Loop, is_inside
from devlint.source.machine.domain.values import Tensor
from devlint.source.machine.heap.machine import Machine


def is_invariant(machine: Machine, tensor: Tensor) -> bool:
    """Whether the innermost loop, one of many turns that belongs to the running function itself, does not
    change a tensor."""
    loop = machine.execution.loop
    if loop is None or (loop.turns is not None and loop.turns < FEW_TURNS):
        return False
    return loop.whole is None and loop.frame is machine.frame and not is_inside(tensor.born, loop)


def is_repeated(tensor: Tensor, loop: Loop | None) -> bool:
    """Whether an enclosing loop, or the callers of a forward, use the same tensor repeatedly."""
    kept = bool(tensor.attribute) and tensor.left_behind
    while loop is not None:
        if kept and loop.whole is HotPath.FORWARD:
            return True
        if tensor.born is not None and is_inside(tensor.born, loop):
            return False
        if loop.whole is HotPath.FORWARD or loop.turns is None or loop.turns >= FEW_TURNS:
            return True
        loop = loop.outer
    return False
