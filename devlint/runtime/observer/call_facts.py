"""The arguments of a running call, as the shared wait conditions ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import torch

from devlint.operators import WRITTEN
from devlint.operators.wait_conditions import NOT_CONSTANT, Form, ValueFacts
from devlint.runtime.observer.binding import BoundArguments
from devlint.runtime.observer.operands import device_of
from devlint.simulation.labels import place_of

_MASKS = (torch.bool, torch.uint8)


class RunningCallFacts:
    """The facts about the arguments of a running call, computed on demand."""

    def __init__(self, bound: BoundArguments) -> None:
        self._bound = bound

    @property
    def count(self) -> int:
        """How many arguments are given."""
        return len(self._bound.values)

    @cached_property
    def first(self) -> ValueFacts | None:
        """What the operator works on."""
        return _facts_or_none(self._bound.first)

    @cached_property
    def indices(self) -> list[ValueFacts]:
        """The indices, one by one."""
        return [_facts(each) for each in indices_of(self._bound)]

    @cached_property
    def written(self) -> ValueFacts | None:
        """What is written into the first operand."""
        return _facts_or_none(written_of(self._bound))

    def value(self, name: str, /) -> ValueFacts | None:
        """The argument of this name; None if it is not given or given as None."""
        return _facts_or_none(self._bound.value(name))


def written_of(bound: BoundArguments) -> Any:
    """The value that a call writes into its first operand; None if there is none."""
    return bound.value(*WRITTEN)


def indices_of(bound: BoundArguments) -> Iterator[object]:
    """The indices of a call, one by one, as Python separates them."""
    for argument, value in bound.arguments():
        if argument.index or argument.name == "indices":
            yield from value if isinstance(value, tuple) else (value,)


def _facts_or_none(value: object) -> ValueFacts | None:
    return None if value is None else _facts(value)


def _facts(value: object) -> ValueFacts:
    if isinstance(value, torch.Tensor):
        rank, is_mask = value.dim(), value.dtype in _MASKS
        return ValueFacts(Form.TENSOR, NOT_CONSTANT, device_of(value), rank == 0, rank, is_mask, value.dtype)
    if isinstance(value, (bool, int, float, complex)):
        return ValueFacts(Form.NUMBER, value)
    if isinstance(value, list):
        return ValueFacts(Form.LIST)
    if isinstance(value, slice):
        bounds = (value.start, value.stop, value.step)
        return ValueFacts(Form.TENSOR_SLICE if any(map(_is_device_integer, bounds)) else Form.OTHER)
    if hasattr(value, "__array_interface__"):
        return ValueFacts(Form.ARRAY)
    return ValueFacts(Form.OTHER, value if isinstance(value, str) else NOT_CONSTANT)


def _is_device_integer(bound: object) -> bool:
    return isinstance(bound, torch.Tensor) and place_of(bound).type != "cpu"
