"""Texts that are put together from parts, and what is known of them if not all parts are."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Concrete
from devlint.source.machine.domain.values import DeviceValue, Known, Scalar, Value


def names_in(parts: Iterable[Value]) -> tuple[Concrete, ...]:
    """The devices whose names are parts of a text."""
    names: list[Concrete] = []
    for each in parts:
        if isinstance(each, DeviceValue) and isinstance(each.device, Concrete) and not each.names_dtype:
            names.append(each.device)
        elif isinstance(each, Scalar):
            names += each.names
    return tuple(names)


def known_in_part(start: str, parts: Iterable[Value]) -> Scalar:
    """A text of which the start is known, and parts."""
    return Scalar("str", text=start, names=names_in(parts))


def joined(first: Value, second: Value) -> Value:
    """One text behind another, at least one of which is not known."""
    start = first.value if isinstance(first, Known) else first.text if isinstance(first, Scalar) else ""
    return known_in_part(start if isinstance(start, str) else "", (first, second))
