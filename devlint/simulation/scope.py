"""What the simulation knows of the torch function that is running in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final

import torch
from torch import Tensor

from devlint.simulation.labels import label_of
from devlint.simulation.meant import meant


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

    __slots__ = ("printed", "running")

    def __init__(self) -> None:
        self.running: tuple[Any, Sequence[Any], Mapping[str, Any], Asked] = (None, (), {}, None)
        """The function, its arguments, and the label that was asked for: one value, as it changes with each
        call of torch."""
        self.printed: torch.device | None = None

    @property
    def function(self) -> Any:
        """None where none is running."""
        return self.running[0]

    @property
    def args(self) -> Sequence[Any]:
        """The function's positional arguments."""
        return self.running[1]

    @property
    def kwargs(self) -> Mapping[str, Any]:
        """Its other arguments."""
        return self.running[2]

    @property
    def asked(self) -> Asked:
        """The label that new tensors get."""
        return self.running[3]

    def run(
        self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], asked: Asked = INHERIT
    ) -> Any:
        """Call a torch function; the tensors that it makes get the label asked for."""
        outer = self.running
        self.running = function, args, kwargs, asked
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if getattr(function, "__module__", None) != _MOVES:
                meant(error)
            raise
        finally:
            self.running = outer

    @contextmanager
    def entered(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[None]:
        """Have a torch function count as running while something is found out about its call."""
        outer = self.running
        self.running = function, args, kwargs, self.asked
        try:
            yield
        finally:
            self.running = outer

    def label(self) -> torch.device | None:
        """The label of a tensor that the running function makes."""
        _, args, kwargs, asked = self.running
        return first_label((*args, *kwargs.values())) if asked is INHERIT else asked


_MOVES = "devlint.simulation.calls.moves"
"""Where devlint's own function that moves tensors is, which fails as devlint does."""


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
