"""How much memory a process has held."""

from __future__ import annotations

import sys


def peak() -> float | None:
    """The most that this process has held so far, in MiB; POSIX alone knows."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)
