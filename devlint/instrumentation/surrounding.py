"""Functions that devlint surrounds with work of its own, so that no caller notices where that fails."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any

from devlint.model.visible import visible

Failed = Callable[[Exception], object]
"""Told of an error of devlint's own."""
Leave = Callable[..., object]
"""Called when the function has returned or raised, with what a context is left with."""
Enter = Callable[..., Leave | None]
"""Called with the arguments of the function, before it."""
Meant = tuple[type[Exception], ...]
"""Errors that are no failures: they are raised to the caller."""

_STEPPED_ASIDE = "devlint failed; the program continues without being observed"


def surrounding(enter: Enter, failed: Failed, meant: Meant = ()) -> Callable[[Callable[..., Any]], Any]:
    """What makes of a function one that does some work before it and after it.

    The function is called once, with its arguments, and returns or raises what it does, whatever becomes of
    the work around it.
    """

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def surrounded(*args: Any, **kwargs: Any) -> Any:
            try:
                leave = enter(*args, **kwargs)
            except meant:
                raise
            except Exception as error:
                failed(error)
                leave = None
            if leave is None:
                return function(*args, **kwargs)
            try:
                result = function(*args, **kwargs)
            except BaseException:
                _end(leave, failed, meant)
                raise
            _end(leave, failed, meant)
            return result

        return surrounded

    return around


def entered(context: AbstractContextManager[object]) -> Leave:
    """Enter a context; what leaves it."""
    context.__enter__()
    return context.__exit__


def shielded(work: Callable[[], object], failed: Failed, *_: object) -> None:
    """Do some work of devlint's own; where it fails, nobody else notices. What a hook is given is unused."""
    try:
        work()
    except Exception as error:
        failed(error)


def said(error: Exception, what: str = _STEPPED_ASIDE) -> str:
    """Say in one line on standard error that devlint has failed and the program goes on; the line."""
    text = " ".join(str(error).split())
    line = f"{what} ({type(error).__name__}: {text})" if text else f"{what} ({type(error).__name__})"
    with suppress(Exception):  # the program may have closed it, and a process may have none
        sys.stderr.write(f"{visible(line)}\n")
    return line


def _end(leave: Leave, failed: Failed, meant: Meant) -> None:
    try:
        leave(*sys.exc_info())
    except meant:
        raise
    except Exception as error:
        failed(error)
