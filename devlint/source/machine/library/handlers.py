"""What a function outside the project is modelled by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from devlint.source import ir
from devlint.source.machine.domain.values import TOP, Value
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine

Handler: TypeAlias = Callable[[Machine, Sequence[Passed], Frame, ir.Expression], Value]
"""The value of a call: what it is given, the activation that calls, and the call itself."""


def constant(value: Value) -> Handler:
    """A function that always gives the same, as far as devices are concerned."""

    def handler(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
        return value

    return handler


def first_argument(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """A function that gives what it is given."""
    return passed[0].value if passed else TOP
