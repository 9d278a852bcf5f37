"""Flags that say whether a program works on an accelerator: `if self.use_cuda: state = state.cuda()`.

Where a hypothesis lets a module lie on an accelerator, such a flag is on. With the flag off, everything is on
the host, so that what it leaves there hardly meets anything else.
"""

from __future__ import annotations

from devlint.model import CPU, Concrete, Confidence, is_accelerator
from devlint.source import ir
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Input, Scalar, Tensor, Value, changed
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.machine import Machine


def doubt_host(machine: Machine, test: ir.Expression, frame: Frame, one: Changes, other: Changes) -> None:
    """Doubt what each of two paths leaves on the host that the other one moves to an accelerator.

    That is so by a hypothesis, and where a flag has chosen the path.
    """
    if machine.around.hypothesis and _is_given_flag(machine, test, frame):
        _doubt(one, other)
        _doubt(other, one)


def _doubt(left: Changes, moved: Changes) -> None:
    for place, (target, key, before, after) in moved.items():
        if place not in left and _is_on_host(before) and _is_on_accelerator(after):
            left[place] = (target, key, before, _doubted(before))


def _is_given_flag(machine: Machine, test: ir.Expression, frame: Frame) -> bool:
    """Whether a test asks for an unknown truth value that a function or an object was given."""
    while isinstance(test, ir.Unary) and test.operator == "not":
        test = test.operand
    if not isinstance(test, (ir.Name, ir.Attribute)):
        return False
    place = cell(machine, test, frame)
    held = None if place is None else place[0].cells.get(place[1])
    is_flag = isinstance(held, Input) or (isinstance(held, Scalar) and held.type == "bool")
    return is_flag and (isinstance(test, ir.Attribute) or _is_parameter(test, frame))


def _is_parameter(name: ir.Name, frame: Frame) -> bool:
    function = frame.function
    return function is not None and any(each.name == name.name for each in function.node.parameters)


def _is_on_host(held: Value | None) -> bool:
    return isinstance(held, Tensor) and held.device == CPU


def _is_on_accelerator(held: Value | None) -> bool:
    """Whether it lies on an accelerator that the program names."""
    return isinstance(held, Tensor) and isinstance(held.device, Concrete) and is_accelerator(held.device)


def _doubted(held: Value | None) -> Value | None:
    if not isinstance(held, Tensor):
        return held
    return changed(held, confidence=least_sure(held.confidence, Confidence.POSSIBLE))
