"""Values that depend on the path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext

from devlint.model import UNKNOWN
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import NONE, Array, Method, Top, Union, Value, alternatives
from devlint.source.machine.heap.machine import Machine


def differs_by_path(held: Value) -> bool:
    """Whether a value is one of several alternatives, besides None."""
    return isinstance(held, Union) and sum(each != NONE for each in held.alternatives) > 1


def is_known_in_part(held: Value) -> bool:
    """Whether one alternative is a tensor on a known device, and another one is an array, unknown, or a
    tensor on an unknown device.

    A mismatch of the known alternative is weak evidence, because the program may only use the other one here.
    """
    members = alternatives(held)
    tensors = [tensor for each in members if (tensor := tensor_of(each)) is not None]
    if not any(each.device != UNKNOWN for each in tensors):
        return False
    others = (isinstance(each, (Array, Method, Top)) for each in members)
    return any(others) or any(each.device == UNKNOWN for each in tensors)


def for_each(
    machine: Machine, members: Iterable[Value], work: Callable[[Value], Value], *operands: Value
) -> Value:
    """The join of the results for each alternative, without None, for which the operation would fail."""
    kept = [each for each in members if each != NONE]
    with machine.on_one_path(*operands) if len(kept) > 1 else nullcontext():
        return join_all(map(work, kept))
