"""Arguments by place or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def first(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What torch's functions call `input`, and those of `linalg` `A` as well."""
    return args[0] if args else kwargs.get("input", kwargs.get("A"))
