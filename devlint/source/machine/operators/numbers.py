"""How many Python numbers a tensor is made of, where the text shows it, and how many bytes they take."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Known, Reference, Scalar, Value
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.objects import Container

BYTES = 8
"""Of a number; no dtype has more but complex ones."""


def numbers_written(data: Passed) -> int | None:
    """How many numbers are written out, or 1 for a number; None for data that may be others each time."""
    if isinstance(data.value, Known | Scalar) or isinstance(data.expression, ir.Sequence):
        return count_numbers(data.value)
    return None


def count_numbers(data: Value) -> int | None:
    """How many numbers a number or a list of numbers holds; None where that is not known."""
    if isinstance(data, Known | Scalar):
        return 1
    if isinstance(data, Reference) and isinstance(data.target, Container) and data.target.exact:
        counts = [count_numbers(each) for each in data.target.items]
        return None if None in counts else sum(each or 0 for each in counts)
    return None


def bytes_written(data: Passed) -> int | None:
    """How many bytes the numbers take that are written out; None where that is not known."""
    numbers = numbers_written(data)
    return None if numbers is None else numbers * BYTES
