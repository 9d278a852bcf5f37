"""Values that depend on the path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext

from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import NONE, Union, Value
from devlint.source.machine.heap.machine import Machine


def differs_by_path(held: Value) -> bool:
    """Whether a value is one of several alternatives, besides None."""
    return isinstance(held, Union) and sum(each != NONE for each in held.alternatives) > 1


def for_each(machine: Machine, members: Iterable[Value], work: Callable[[Value], Value]) -> Value:
    """The join of the results for each alternative, without None, for which the operation would fail."""
    kept = [each for each in members if each != NONE]
    with machine.on_one_path() if len(kept) > 1 else nullcontext():
        return join_all(map(work, kept))
