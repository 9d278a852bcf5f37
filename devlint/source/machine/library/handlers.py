"""What a function outside the project is modelled by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from devlint.source.machine.domain.values import Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine

Handler: TypeAlias = Callable[[Machine, Call], Value]
"""What gives the value of a call."""


def constant(value: Value) -> Handler:
    """A function that always gives the same, as far as devices are concerned."""

    def handler(machine: Machine, call: Call) -> Value:
        return value

    return handler


def first_argument(machine: Machine, call: Call) -> Value:
    """A function that gives what it is given."""
    return call.first
