"""Pausing Python's garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause garbage collection while long-lived objects are created, because examining them takes time."""
    enabled = gc.isenabled()
    try:
        gc.disable()  # inside of `try`, because the handler of a signal may raise
        yield
    finally:
        if enabled:
            gc.enable()
