"""Comparisons of lists and tuples."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Known, Reference, Value
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.comparing import compare
from devlint.source.machine.transfer import numbers
from devlint.source.machine.transfer.interpreter import Interpreter

_KINDS = frozenset({"list", "tuple"})


def are_equal(one: Value, other: Value) -> bool | None:
    """Whether two values are equal, one of which is a list or a tuple; None if that is not known."""
    first, second = _sequence(one), _sequence(other)
    if first is None and second is None:
        return None
    if first is None or second is None:
        return False if isinstance(one, Known) or isinstance(other, Known) else None
    if first is second:
        return True
    if first.kind != second.kind:
        return False
    if not first.exact or not second.exact:
        return None
    if first.length != second.length:
        return False
    outcomes = {_is_same(*pair) for pair in zip(first.items, second.items, strict=True)}
    return False if False in outcomes else None if None in outcomes else True


def read(machine: Interpreter, node: ir.Compare, one: Value, other: Value, frame: Frame) -> None:
    """Compare what two lists or tuples hold: the host waits for the tensors among it."""
    if _sequence(one) is not None and _sequence(other) is not None:
        compare(machine, Call([], frame, node), [one, other])


def _is_same(one: Value, other: Value) -> bool | None:
    if isinstance(one, Known) and isinstance(other, Known):
        held = numbers.of_constants("eq", one, other)
        return bool(held.value) if isinstance(held, Known) else None
    return are_equal(one, other)


def _sequence(held: Value) -> Container | None:
    target = held.target if isinstance(held, Reference) else None
    return target if isinstance(target, Container) and target.kind in _KINDS else None
