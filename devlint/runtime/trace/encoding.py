"""Events as JSON data and back.

An object has the name of its class under `is`, and its fields; fields with their default are omitted.
Enumerations are encoded as their values, sites as their numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from functools import cache
from typing import Any, get_args

from devlint import model
from devlint.model import SiteId
from devlint.runtime.trace.checking import Check, check_of, types_of

_KIND = "is"

_CLASSES: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        model.Operation,
        model.Transfer,
        model.Synchronization,
        model.Move,
        model.Registration,
        model.Setting,
        model.Operand,
        model.Origin,
        model.OriginStep,
        model.Concrete,
        model.Symbol,
        model.Choice,
        model.Unknown,
    )
}
"""The classes of events and their parts. Only these are ever created from a file."""


class EncodingError(ValueError):
    """Data that is not an event: damaged, or written by another version of devlint."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    default: object
    holds_site: bool
    enumeration: type[Enum] | None
    fits: Check


def _same(site: SiteId) -> SiteId:
    return site


def encode(value: Any, visit: Callable[[SiteId], None]) -> Any:
    """An event, or a part of one, as JSON data. `visit` is called with each site in it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [encode(each, visit) for each in value]
    kind = type(value)
    if kind.__name__ not in _CLASSES:
        return value
    data: dict[str, Any] = {_KIND: kind.__name__}
    for field in _fields(kind.__name__):
        part = getattr(value, field.name)
        if part == field.default:
            continue
        if field.holds_site:
            visit(part)
        data[field.name] = encode(part, visit)
    return data


def decode(data: Any, place: Callable[[SiteId], SiteId] = _same) -> Any:
    """The inverse of `encode`. `place` maps the number of each site.

    Raises: EncodingError: if the data is not an event, or part of one.
    """
    if isinstance(data, list):
        return tuple(decode(each, place) for each in data)
    if not isinstance(data, dict):
        return data
    kind = _CLASSES.get(str(data.get(_KIND)))
    if kind is None:
        raise EncodingError(f"`{data.get(_KIND)}` is unknown")
    known = {field.name: field for field in _fields(kind.__name__)}
    try:
        return kind(
            **{name: _decoded(part, known[name], place) for name, part in data.items() if name != _KIND},
        )
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise EncodingError(f"this is not a `{kind.__name__}`: {error}") from None


def _decoded(part: Any, field: _Field, place: Callable[[SiteId], SiteId]) -> Any:
    if field.enumeration is not None and isinstance(part, str):
        return field.enumeration(part)
    whole = decode(part, place)
    if not field.fits(whole):
        raise TypeError(f"`{field.name}` is of another type")
    return place(whole) if field.holds_site and whole is not None else whole


@cache
def _fields(name: str) -> tuple[_Field, ...]:
    kind = _CLASSES[name]
    hints = types_of(kind)
    return tuple(
        _Field(
            each.name,
            _NOTHING if each.default is MISSING else each.default,
            any(part is SiteId for part in _parts(hints[each.name])),
            next((part for part in _parts(hints[each.name]) if _is_enumeration(part)), None),
            check_of(hints[each.name]),
        )
        for each in fields(kind)
    )


_NOTHING = object()
"""Differs from all values of fields."""


def _parts(hint: Any) -> tuple[Any, ...]:
    """A type, and the types of a union."""
    return (hint, *get_args(hint))


def _is_enumeration(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)
