"""Whether plain data, read from where anyone may have written it, has the shape that its reader counts on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shape = Callable[[Any], bool]
"""Whether a value is what it should be."""


def of_type(kind: type) -> Shape:
    """Of a type and of none that is derived from it: `True` is no whole number."""
    return lambda value: type(value) is kind


def one_of(*known: object) -> Shape:
    """One of a few texts."""
    return lambda value: type(value) is str and value in known


def within(least: int, most: int) -> Shape:
    """A whole number that is neither too small nor too large."""
    return lambda value: type(value) is int and least <= value <= most


def optional(shape: Shape) -> Shape:
    """Of a shape, or nothing."""
    return lambda value: value is None or shape(value)


def row(*shapes: Shape) -> Shape:
    """A list of exactly these."""
    return lambda value: (
        type(value) is list
        and len(value) == len(shapes)
        and all(shape(each) for shape, each in zip(shapes, value, strict=True))
    )


def rows(shape: Shape) -> Shape:
    """A list of any length."""
    return lambda value: type(value) is list and all(map(shape, value))
