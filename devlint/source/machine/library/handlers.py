"""Models of functions outside the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from devlint.source.machine.domain.values import Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine

Handler: TypeAlias = Callable[[Machine, Call], Value]
"""A function that returns the value of a call."""


def constant(value: Value) -> Handler:
    """The model of a function whose result, as far as devices are concerned, is constant."""

    def handler(machine: Machine, call: Call) -> Value:
        return value

    return handler


def first_argument(machine: Machine, call: Call) -> Value:
    """The model of a function that returns its argument."""
    return call.first
