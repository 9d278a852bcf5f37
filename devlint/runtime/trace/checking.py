"""Checking whether data read from a file have the types that a class declares."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

from devlint.model import SiteId

Check = Callable[[Any], bool]
_LARGEST = 2**63 - 1
"""The largest accepted integer. Larger ones may not be convertible to a float."""


def check_of(hint: Any) -> Check:
    """The check of a type: a class, a union, or a tuple of any length."""
    parts = [check_of(part) for part in get_args(hint) if part is not Ellipsis]
    if get_origin(hint) is tuple:
        return lambda value: isinstance(value, tuple) and all(map(parts[0], value))
    if parts:
        return lambda value: any(check(value) for check in parts)
    return _PLAIN.get(hint) or (lambda value: isinstance(value, hint))


def types_of(kind: type[Any]) -> dict[str, Any]:
    """The declared type of each field of a class."""
    return get_type_hints(kind, vars(sys.modules[kind.__module__]))


def checks_of(kind: type[Any]) -> dict[str, Check]:
    """The check of each field of a class."""
    return {name: check_of(hint) for name, hint in types_of(kind).items()}


def is_whole(value: object) -> bool:
    """Whether it is an integer; JSON's `true` is not."""
    return type(value) is int and abs(value) <= _LARGEST


def is_count(value: object) -> bool:
    """Whether it is a count."""
    return isinstance(value, int) and is_whole(value) and value >= 0


def is_size(value: object) -> bool:
    """Whether it is a number of bytes, or None."""
    return value is None or is_count(value)


def is_duration(value: object) -> bool:
    """Whether it is a duration in seconds, or None."""
    if isinstance(value, float):
        return math.isfinite(value) and value >= 0
    return value is None or is_count(value)


def is_time(value: object) -> bool:
    """Whether it is a time in seconds."""
    return value is not None and is_duration(value)


def _is_finite(value: object) -> bool:
    return math.isfinite(value) if isinstance(value, float) else is_whole(value)


_PLAIN: dict[Any, Check] = {int: is_whole, SiteId: is_whole, float: _is_finite}
