"""The peak memory of a process."""

from __future__ import annotations

import sys


def peak() -> float | None:
    """The peak memory of this process so far, in MiB; only on POSIX."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)
