"""The values of a call by the operator's arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from devlint.operators import ArgumentKind, Operator, OperatorArgument

_GENERIC = OperatorArgument("args", ArgumentKind.TENSOR)


@dataclass(frozen=True, slots=True)
class BoundArguments:
    """The values of one call, by the operator's own names, in the order in which they were given."""

    operator: Operator
    values: dict[str, Any]

    def value(self, *names: str) -> Any:
        """The value of the first of these arguments that is given and not None; None if none is."""
        return next((value for name in names if (value := self.values.get(name)) is not None), None)

    @property
    def first(self) -> Any:
        """The first value; for a method, the receiver. None if there is none."""
        return next(iter(self.values.values()), None)

    def arguments(self) -> Iterator[tuple[OperatorArgument, Any]]:
        """Each argument with its value."""
        known = _by_name(self.operator)
        for name, value in self.values.items():
            yield known.get(name) or self.operator.named(name) or _GENERIC, value

    def tensors(self) -> Iterator[tuple[OperatorArgument, str, torch.Tensor]]:
        """All tensors, one by one: argument, where in it (`tensors[1]`, or its name), tensor."""
        for argument, value in self.arguments():
            yield from _tensors(argument, argument.name, value)


def bind(operator: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> BoundArguments:
    """The values of a call by argument, those of a variadic argument together.

    If the operator declares no argument for a value, a keyword keeps its name and a positional value is left
    out.
    """
    values: dict[str, Any] = {}
    for position, value in enumerate(args):
        argument = operator.at(position)
        if argument is None:
            break
        if argument.variadic:
            rest = args[position:]
            values[argument.name] = value if len(rest) == 1 else tuple(rest)
            break
        values[argument.name] = value
    values.update(kwargs)
    return BoundArguments(operator, values)


def _tensors(
    argument: OperatorArgument, name: str, value: Any
) -> Iterator[tuple[OperatorArgument, str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield argument, name, value
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            if isinstance(item, torch.Tensor):
                yield argument, f"{name}[{place}]", item


def _by_name(operator: Operator) -> dict[str, OperatorArgument]:
    known = _ARGUMENTS.get(operator.name)
    if known is None:
        known = _ARGUMENTS[operator.name] = {argument.name: argument for argument in operator.arguments}
    return known


_ARGUMENTS: dict[str, dict[str, OperatorArgument]] = {}
"""By the operator's name: a process has one torch, and so one row for each. Hashing a row takes longer."""
