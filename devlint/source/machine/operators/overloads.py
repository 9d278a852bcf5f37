"""Functions of torch that compute different things with a tensor and with a number as the second argument."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.operators import Operator, find
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Tensor, Value, changed
from devlint.source.machine.heap.frames import Passed

_OF_TWO_TENSORS = {
    "torch.max": "torch.maximum",
    "torch.min": "torch.minimum",
    "torch.Tensor.max": "torch.Tensor.maximum",
    "torch.Tensor.min": "torch.Tensor.minimum",
}


def overload(operator: Operator, passed: Sequence[Passed]) -> Operator:
    """What a call computes: `torch.max(a, b)` the larger elements of two tensors, `torch.max(a, 1)` the
    largest ones along a dimension, with their indices."""
    other = _OF_TWO_TENSORS.get(operator.name)
    if other is None or not any(map(_is_second_tensor, passed[1:])):
        return operator
    found = find(other)
    assert found is not None
    return changed(found, name=operator.name)


def _is_second_tensor(passed: Passed) -> bool:
    return passed.keyword == "other" or (not passed.keyword and _is_tensor(passed.value))


def _is_tensor(held: Value) -> bool:
    return isinstance(held, Tensor) or (isinstance(held, Input) and held.evident)
