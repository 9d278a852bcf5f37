"""Tests of the dtype of a tensor: `x = x.to(device) if x.is_floating_point() else x`.

If the dtype is not known, the two paths are those of different tensors. Under a hypothesis, a caller decides
which of them there are, so that what differs between the paths is only possible on each. A program makes its
tensors itself; what is said there of values that depend on the path holds for these, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import Confidence
from devlint.source import ir
from devlint.source.machine.domain.dtypes import QUESTIONS
from devlint.source.machine.domain.values import (
    External,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.paths import devices_of
from devlint.source.walk import path, walk


def doubt_by_dtype(
    machine: Interpreter, test: ir.Expression, frame: Frame, one: Changes, other: Changes
) -> None:
    """Lower the confidence of the tensors that two paths leave on different devices, if a test of an unknown
    dtype decides between the paths."""
    apart = [each for each in one.beside(other) if _are_apart(each[3], each[4])]
    if not apart or not _asks_for_unknown_dtype(machine, test, frame):
        return
    for target, key, before, left, right in apart:
        for changes, held in ((one, left), (other, right)):
            if held is not None:
                changes[id(target), key] = (target, key, before, _doubted(held))


def chosen_by_dtype(
    machine: Interpreter, test: ir.Expression, frame: Frame, then: Value, orelse: Value
) -> tuple[Value, Value]:
    """The two values between which a test chooses, which are only possible if it is one of an unknown dtype
    and they lie on different devices."""
    if not _are_apart(then, orelse) or not _asks_for_unknown_dtype(machine, test, frame):
        return then, orelse
    return _doubted(then), _doubted(orelse)


def _are_apart(one: Value | None, other: Value | None) -> bool:
    devices, others = devices_of(one), devices_of(other)
    return bool(devices and others) and devices != others


def _asks_for_unknown_dtype(machine: Interpreter, test: ir.Expression, frame: Frame) -> bool:
    if not machine.execution.hypothesis:
        return False
    owners = [each for each in _asked(test) if path(each)]  # evaluating names has no effect
    return any(_is_unknown(machine.evaluate(each, frame)) for each in owners)


def _asked(test: ir.Expression) -> Iterator[ir.Expression]:
    """The expressions whose dtype a test asks for."""
    for node in walk((test,)):
        match node:
            case ir.Attribute(value=owner, name="dtype"):
                yield owner
            case ir.CallExpression(function=ir.Attribute(value=owner, name=name), arguments=()):
                if name in QUESTIONS:
                    yield owner
            case ir.CallExpression(function=ir.Attribute(name=name) | ir.Name(name=name), arguments=(only,)):
                if name in QUESTIONS:
                    yield only.value


def _is_unknown(held: Value) -> bool:
    """Whether the dtype of a value is not known."""
    return any(
        each.floating is None if isinstance(each, Tensor) else not isinstance(each, External)
        for each in alternatives(held)
    )


def _doubted(held: Value) -> Value:
    """A value of one path only. What the path itself creates without a device is on the host for sure."""
    match held:
        case Tensor(source=None, origin=origin) if (made := origin.made()) is not None and made.implicit:
            return held
        case Tensor():
            return changed(held, confidence=Confidence.POSSIBLE)
        case Union(alternatives=members):
            return Union(tuple(map(_doubted, members)))
        case _:
            return held
