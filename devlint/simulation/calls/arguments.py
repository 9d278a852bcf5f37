"""Arguments by position or by name, as a handler of one of torch's functions looks them up.

Not `devlint.operators.binding`: a handler knows its function's signature, so it needs no row of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def argument(args: Sequence[Any], kwargs: Mapping[str, Any], position: int, *names: str) -> Any:
    """The value given at a position, else by the first of these names that is given; None without either."""
    if position < len(args):
        return args[position]
    return next((kwargs[name] for name in names if name in kwargs), None)


def first(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What torch's functions call `input`, and those of `linalg` `A` as well."""
    return argument(args, kwargs, 0, "input", "A")
