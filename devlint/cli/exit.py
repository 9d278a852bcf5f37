"""Exit codes."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process says to its caller. The first three are Ruff's."""

    CLEAN = 0
    FINDINGS = 1
    """There are findings. A file that could not be read or parsed is one (DL900)."""
    BAD_USE = 2
    """Bad arguments or configuration, a path that does not exist, output that cannot be written, or a failure
    of devlint itself. It outranks `FINDINGS`."""
    INTERRUPTED = 130
    """128 + SIGINT, as a shell reports it."""
    BROKEN_PIPE = 141
    """128 + SIGPIPE."""
