"""Checking the shape of plain data that anyone may have written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shape = Callable[[Any], bool]
"""Whether a value has the expected shape."""


def of_type(kind: type) -> Shape:
    """A value of exactly this type: `True` is not an integer."""
    return lambda value: type(value) is kind


def one_of(*known: object) -> Shape:
    """One of a few texts."""
    return lambda value: type(value) is str and value in known


def within(least: int, most: int) -> Shape:
    """An integer in a range."""
    return lambda value: type(value) is int and least <= value <= most


def optional(shape: Shape) -> Shape:
    """A value of a shape, or None."""
    return lambda value: value is None or shape(value)


def row(*shapes: Shape) -> Shape:
    """A list of items of exactly these shapes."""
    return lambda value: (
        type(value) is list
        and len(value) == len(shapes)
        and all(shape(each) for shape, each in zip(shapes, value, strict=True))
    )


def rows(shape: Shape) -> Shape:
    """A list of any length with items of a shape."""
    return lambda value: type(value) is list and all(map(shape, value))
