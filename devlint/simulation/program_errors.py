"""Marks errors that are meant for the program, to distinguish them from failures of devlint."""

from __future__ import annotations

import threading
from typing import TypeVar

from devlint.instrumentation.hooks import report_failure

_Error = TypeVar("_Error", bound=Exception)


class _Last(threading.local):
    """The identity of the last such error in this thread. The error itself would keep tensors alive."""

    identity = 0


_LAST = _Last()


def for_program(error: _Error) -> _Error:
    """Mark an error, raised by the simulation or by torch, as meant for the program."""
    try:
        _LAST.identity = id(error)
    except Exception as failure:
        report_failure(failure, _UNKNOWN)
    return error


def is_for_program(error: Exception) -> bool:
    """Whether an error is meant for the program."""
    try:
        return id(error) == _LAST.identity
    except Exception as failure:
        report_failure(failure, _UNKNOWN)
        return True


_UNKNOWN = "devlint failed to distinguish an error of the program from its own"
