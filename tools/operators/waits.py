"""Counts how often the host has waited, with the counter of the driver that does nothing."""

from __future__ import annotations

import ctypes
import os
from functools import cache


def waits() -> int:
    """Since the process began."""
    return int(_counter().value)


@cache
def _counter() -> ctypes.c_long:
    return ctypes.c_long.in_dll(ctypes.CDLL(os.environ["NULL_LIB"]), "null_sync_count")
