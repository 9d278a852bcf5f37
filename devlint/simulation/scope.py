"""What the simulation knows of the torch function that is running in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final

import torch
from torch import Tensor

from devlint.simulation.labels import label_of


class Inherit(Enum):
    """No device was asked for: tensors that are made on the way lie where the operands lie."""

    INHERIT = "inherit"


INHERIT: Final = Inherit.INHERIT

Asked = torch.device | None | Inherit
"""The label that new tensors get: a simulated device, none, or that of the operands."""


class CallScope:
    """The outermost torch function that is running, and the device that was asked of it.

    Torch makes tensors inside its own functions, on the device of the operands; on the CPU nothing tells them
    from tensors that were made for the host. So they get the label that the function's operands have.
    """

    __slots__ = ("args", "asked", "function", "kwargs", "printed")

    def __init__(self) -> None:
        self.function: Any = None
        self.args: Sequence[Any] = ()
        self.kwargs: Mapping[str, Any] = {}
        self.asked: Asked = None
        self.printed: torch.device | None = None

    def run(
        self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], asked: Asked = INHERIT
    ) -> Any:
        """Call a torch function; the tensors that it makes get the label asked for."""
        outer = self.function, self.args, self.kwargs, self.asked
        self.function, self.args, self.kwargs, self.asked = function, args, kwargs, asked
        try:
            return function(*args, **kwargs)
        finally:
            self.function, self.args, self.kwargs, self.asked = outer

    @contextmanager
    def entered(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[None]:
        """Have a torch function count as running while something is found out about its call."""
        outer = self.function, self.args, self.kwargs
        self.function, self.args, self.kwargs = function, args, kwargs
        try:
            yield
        finally:
            self.function, self.args, self.kwargs = outer

    def label(self) -> torch.device | None:
        """The label of a tensor that the running function makes."""
        if self.asked is not INHERIT:
            return self.asked
        return first_label((*self.args, *self.kwargs.values()))


def first_label(values: Sequence[Any]) -> torch.device | None:
    """The label of the first labelled tensor among arguments, those in lists and tuples included."""
    for value in values:
        label = None
        if isinstance(value, Tensor):
            label = label_of(value)
        elif isinstance(value, (list, tuple)) and value and not isinstance(value[0], (int, float, str)):
            label = first_label(value)
        if label is not None:
            return label
    return None
