"""How many dimensions an array has at least.

NumPy returns a number where no dimension is left, and torch makes a tensor without dimensions of it, which
may be mixed with tensors of a device.
"""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source import ir
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.values import (
    NONE,
    Array,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
)
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.objects import Container

_DEEPEST = 4
"""The depth of nested lists beyond which more dimensions are not counted."""
_OPTIONS = frozenset({"dtype", "order", "requires_grad"})
"""Arguments beside the sizes of an array."""


def least_of(held: Value, depth: int = _DEEPEST) -> int:
    """How many dimensions the array that NumPy makes of a value has at least."""
    if depth == 0:
        return 0
    return min(_least_of_one(each, depth) for each in alternatives(held))


def _least_of_one(held: Value, depth: int) -> int:
    match held:
        case Array(least=least):
            return least
        case Tensor(shape=shape) if shape is not None:
            return len(shape)
        case Reference(target=Container(kind="list" | "tuple") as listed):
            return 1 + min((least_of(each, depth - 1) for each in listed.cells.values()), default=0)
        case _:
            return 0


def broadcast(operands: Sequence[Value]) -> int:
    """The dimensions that a result of element-wise arithmetic has at least."""
    return max(map(least_of, operands), default=0)


def least_joined(passed: Sequence[Passed], name: str) -> int:
    """The dimensions of several arrays that are joined, along a new one by `stack`."""
    listed = passed[0].value if passed else NONE
    return least_of(listed) if name == "stack" else max(1, least_of(listed) - 1)


def least_shaped(shape: Sequence[Passed]) -> int:
    """The number of sizes that arguments name, or the one that holds them."""
    sizes = [each for each in shape if each.keyword not in _OPTIONS]
    if not sizes or any(each.stars for each in sizes):
        return 0
    if len(sizes) > 1:
        return len(sizes)
    held = sizes[0].value.target if isinstance(sizes[0].value, Reference) else None
    if isinstance(held, Container):
        return len(held.cells) if held.exact else 0
    return int(is_whole(sizes[0].value))


def least_reduced(least: int, axis: Value | None) -> int:
    """The dimensions that remain of so many, after a reduction along an axis or several ones."""
    if isinstance(axis, Reference) and isinstance(axis.target, Container) and axis.target.exact:
        return max(0, least - len(axis.target.cells))
    return max(0, least - 1) if axis is not None and is_whole(axis) else 0


def least_selected(least: int, indices: Sequence[Passed]) -> int:
    """The dimensions of a part of an array: a number removes one, None adds one, a slice keeps its own; an
    array of positions or of truth values leaves one."""
    for each in indices:
        if isinstance(each.expression, (ir.Dots, ir.Slice)):
            continue
        if each.value == NONE:
            least += 1
        elif is_whole(each.value):
            least -= 1
        else:
            return int(any(map(_selects_rows, indices)))
    return max(0, least)


def _selects_rows(index: Passed) -> bool:
    """Whether an index is an array, a list or a tensor with dimensions, that selects rows or elements."""
    return least_of(index.value) > 0


def is_whole(held: Value) -> bool:
    """Whether a value is a whole number."""
    return isinstance(held, (Known, Scalar)) and scalar_type(held) == "int"
