"""Look-up of arguments by position or name, for handlers of torch's functions.

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
    """The first argument, which is named `input`, or `A` in `linalg`."""
    return argument(args, kwargs, 0, "input", "A")
