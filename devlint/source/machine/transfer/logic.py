"""`not`, `and` and `or` of values."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source import ir
from devlint.source.machine.domain.values import (
    AVAILABLE,
    BOOL,
    FALSE,
    TRUE,
    UNAVAILABLE,
    DeviceValue,
    External,
    Known,
    NoAccelerator,
    Reference,
    Scalar,
    Value,
    changed,
)
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.transfer.numbers import MIRRORED
from devlint.source.walk import Node


def negated(held: Value) -> Value:
    """`not held`."""
    if isinstance(held, NoAccelerator):
        return AVAILABLE
    if isinstance(held, Known):
        return Known(not held.value)
    if isinstance(held, Scalar):
        return (
            Scalar(
                "bool",
                flag=_opposite(held.flag),
                flag_default=not held.flag_default,
                periodic=-held.periodic,
            )
            if held.flag or held.periodic
            else BOOL
            if not held.availability
            else UNAVAILABLE
        )
    if isinstance(held, Reference):
        if isinstance(held.target, Container) and held.target.exact:
            return Known(not held.target.length)
        return FALSE if not isinstance(held.target, (Container, Instance)) else BOOL
    return FALSE if isinstance(held, (DeviceValue, External)) else BOOL


_SAYS = {
    ("eq", 1): True, ("is", 1): True, ("ne", 0): True, ("is_not", 0): True, ("gt", 0): True, ("ge", 1): True,
    ("eq", 0): False, ("is", 0): False, ("ne", 1): False, ("is_not", 1): False, ("lt", 1): False,
    ("le", 0): False,
}  # fmt: skip
"""What comparisons with `False`, or 0, and `True`, or 1, say of a truth value on their left."""


def compared(name: str, one: Value, other: Value) -> Value | None:
    """`held == True`, `held > 0`: a truth value or its negation; None for other comparisons."""
    if isinstance(one, Known):
        name, one, other = MIRRORED.get(name, name), other, one
    if not (isinstance(one, Scalar) and one.type == "bool" and isinstance(other, Known)):
        return None
    says = _SAYS.get((name, other.value)) if isinstance(other.value, int) else None
    return None if says is None else one if says else negated(one)


def _opposite(flag: str) -> str:
    """The key of a flag's negation."""
    if not flag:
        return ""
    return flag[4:] if flag.startswith("not ") else f"not {flag}"


def guarded(test: Scalar, then: Sequence[Node], orelse: Sequence[Node]) -> Sequence[Node]:
    """The code that a flag guards: both branches. Of an option that is not given by default, the one that
    runs if it is given."""
    if test.flag.startswith("given "):
        return then
    return orelse if test.flag.startswith("not given ") else (*then, *orelse)


def asks_for_place(test: ir.Expression) -> bool:
    """Whether a test asks where a value lies (`x.is_cuda`, `device.type == "cuda"`), not what a machine
    has."""
    return isinstance(test, ir.Compare) or (isinstance(test, ir.Attribute) and test.name == "is_cuda")


def carry(test: Value, right: Value) -> Value:
    """The value of `test and right` if the test is true. The information that the test asks for an
    accelerator is preserved."""
    if isinstance(test, Scalar) and test.availability:
        if isinstance(right, Scalar) and right.type == "bool":
            return changed(right, availability=True)
        if right == TRUE:
            return test
    return right


def combined(name: str, left: Scalar, right: Value) -> Value:
    """`left and right`, `left or right`, if the left value is unknown."""
    if isinstance(right, Known) and bool(right.value) is (name == "or"):
        return Known(name == "or")
    other = right.periodic if isinstance(right, Scalar) else 0
    if name == "and":
        periodic = 1 if 1 in (left.periodic, other) else 0
    else:
        periodic = -1 if -1 in (left.periodic, other) else 1 if left.periodic == other == 1 else 0
    return Scalar("bool", periodic=periodic)
