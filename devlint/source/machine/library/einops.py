"""Functions of einops, which rearrange and multiply tensors (einops 0.8: `einops.py`, `packing.py`)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from devlint.operators import find
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import TOP, Known, Tensor, Value, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators.apply import apply

_AXIS = re.compile(r"\([^)]*\)|\.{3}|\w+")


def _reshaped(held: Value) -> Value:
    """The result of a rearrangement: the same values in another shape, on the same device."""
    return changed(held, rank0=None, shape=None, role="") if isinstance(held, Tensor) else held


def _rearrange(machine: Machine, call: Call) -> Value:
    held, pattern = _reshaped(call.first), call.value("pattern", 1)
    if isinstance(held, Tensor) and isinstance(pattern, Known) and isinstance(pattern.value, str):
        left, _, right = pattern.value.partition("->")
        sizes = {each.keyword: each.value for each in call.passed if each.keyword}
        first = call.first
        if isinstance(first, Tensor) and "..." not in left:
            sizes |= zip(_axes(left), map(Known, first.shape or ()), strict=False)
        shape = None if "..." in right else tuple(_size(axis, sizes) for axis in _axes(right))
        return changed(held, rank0=not right.replace("()", " ").strip(), shape=shape)
    return held


def _axes(side: str) -> list[str]:
    """The axes on one side of a pattern; several that are composed are one."""
    return _AXIS.findall(side)


def _size(axis: str, sizes: Mapping[str, Value]) -> int | None:
    """The size of an axis, as far as it is known."""
    parts = [Known(int(each)) if each.isdigit() else sizes.get(each) for each in axis.strip("()").split()]
    known = [each.value for each in parts if isinstance(each, Known) and isinstance(each.value, int)]
    return math.prod(known) if len(known) == len(parts) else None


def _pack(machine: Machine, call: Call) -> Value:
    """The result of `pack`: one tensor of several, and their shapes."""
    parts = machine.elements(call.first, call.frame, call.node).items
    return machine.adopt(Container("tuple", [_reshaped(join_all(parts)), TOP]))


def _unpack(machine: Machine, call: Call) -> Value:
    """The result of `unpack`: the parts of a tensor."""
    return machine.adopt(Container("list", element=_reshaped(call.first)))


def _einsum(machine: Machine, call: Call) -> Value:
    """`einsum`, whose tensors come before the pattern."""
    operator = find("torch.einsum")
    if operator is None or not call.passed:
        return TOP
    *tensors, pattern = call.passed
    result = apply(machine, call.site, operator, [pattern._replace(value=Known("...")), *tensors])
    return _reshaped(result)


EINOPS: dict[str, Handler] = {
    "einops.rearrange": _rearrange,
    "einops.reduce": _rearrange,
    "einops.repeat": _rearrange,
    "einops.pack": _pack,
    "einops.unpack": _unpack,
    "einops.einsum": _einsum,
}
