"""Pausing Python's garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage for a while: what is built meanwhile stays, and to look through it takes time."""
    enabled = gc.isenabled()
    try:
        gc.disable()  # in here, for a signal's handler may raise
        yield
    finally:
        if enabled:
            gc.enable()
