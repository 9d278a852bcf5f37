"""`torch._foreach_add(tensors, others)` and the like: one operator for each tensor of a list."""

from __future__ import annotations

from itertools import repeat

from devlint.operators import find
from devlint.source.machine.domain.values import NONE, Reference, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.apply import apply

PREFIX = "torch._foreach_"


def for_each_tensor(machine: Machine, name: str, call: Call) -> Value:
    """The results for each tensor of the first list; None if the tensors are changed in place."""
    method = name.removeprefix(PREFIX)
    operator = find(f"torch.Tensor.{method}")
    first = call.first
    if operator is None or not isinstance(first, Reference) or not isinstance(first.target, Container):
        return machine.presumed(call)
    keys = [*first.target.cells]
    columns = [_column(each, len(keys)) for each in call.passed]
    results = [apply(machine, call.site, operator, row) for row in zip(*columns, strict=False)]
    if method.endswith("_"):
        return NONE
    made = Container("tuple")
    made.cells = dict(zip(keys, results, strict=False))
    return machine.adopt(made)


def _column(passed: Passed, count: int) -> list[Passed]:
    """An argument for each of the tensors: those of a list one by one, or the same value for all."""
    held = passed.value
    if not isinstance(held, Reference) or not isinstance(held.target, Container):
        return [*repeat(passed, count)]
    items = [*held.target.cells.values()]
    return [passed._replace(value=each) for each in (items if len(items) == count else items[:1] * count)]
