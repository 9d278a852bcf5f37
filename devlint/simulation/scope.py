"""The state of the torch function that runs in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final

import torch
from torch import Tensor

from devlint.simulation.labels import label_of
from devlint.simulation.program_errors import for_program


class Inherit(Enum):
    """No device was requested: new tensors are on the device of the operands."""

    INHERIT = "inherit"


INHERIT: Final = Inherit.INHERIT

Asked = torch.device | None | Inherit
"""The label of new tensors: a simulated device, none, or that of the operands."""


class CallScope:
    """The outermost running torch function, and the device that it was asked for.

    Torch creates tensors inside its own functions, on the device of the operands. On the CPU, these cannot be
    distinguished from tensors that are meant for the host, so they get the label of the function's operands.
    """

    __slots__ = ("printed", "running")

    def __init__(self) -> None:
        self.running: tuple[Any, Sequence[Any], Mapping[str, Any], Asked] = (None, (), {}, None)
        """The function, its arguments, and the requested label, as one value, because they change together
        with each call."""
        self.printed: torch.device | None = None

    @property
    def function(self) -> Any:
        """The running function; None if there is none."""
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
        """Call a torch function; tensors that it creates get the requested label."""
        outer = self.running
        self.running = function, args, kwargs, asked
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if getattr(function, "__module__", None) != _MOVES:
                for_program(error)
            raise
        finally:
            self.running = outer

    @contextmanager
    def entered(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[None]:
        """Let a torch function count as running while its call is examined."""
        outer = self.running
        self.running = function, args, kwargs, self.asked
        try:
            yield
        finally:
            self.running = outer

    def label(self) -> torch.device | None:
        """The label of a tensor that the running function creates."""
        _, args, kwargs, asked = self.running
        return first_label((*args, *kwargs.values())) if asked is INHERIT else asked


_MOVES = "devlint.simulation.calls.moves"
"""The module of devlint's own function that moves tensors; errors there are failures of devlint."""


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
