"""Errors that a program is to get, told from failures of devlint's own, which it is not to notice."""

from __future__ import annotations

import threading
from typing import TypeVar

from devlint.instrumentation.surrounding import said

_Error = TypeVar("_Error", bound=Exception)


class _Last(threading.local):
    """The identity of the last such error in this thread. The error itself would keep tensors."""

    identity = 0


_LAST = _Last()


def meant(error: _Error) -> _Error:
    """Say that an error which is about to be raised, or was raised by torch, is the program's to get."""
    try:
        _LAST.identity = id(error)
    except Exception as failure:
        said(failure, _UNKNOWN)
    return error


def is_meant(error: Exception) -> bool:
    """Whether an error is the program's to get."""
    try:
        return id(error) == _LAST.identity
    except Exception as failure:
        said(failure, _UNKNOWN)
        return True


_UNKNOWN = "devlint failed to tell an error of the program from its own"
