"""The order in which objects, tensors and inputs are created."""

from __future__ import annotations

from itertools import count

_serials = count(1)


def new_serial() -> int:
    """The number of what is created next."""
    return next(_serials)
