"""How the process ends."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of the process. The first three are Ruff's."""

    CLEAN = 0
    FINDINGS = 1
    """There are findings. A file that could not be read or parsed is one (DL900)."""
    BAD_USE = 2
    """Bad arguments or configuration, a path that does not exist, output that cannot be written, or an
    internal error. It takes precedence over `FINDINGS`."""
    INTERRUPTED = 130
    """128 + SIGINT, as a shell reports it."""
    BROKEN_PIPE = 141
    """128 + SIGPIPE."""


class ProgramInterrupted(BaseException):
    """A program that was run was interrupted from the keyboard, and has shown it."""
