"""Hooks that run before and after functions, so that callers do not notice failures of the hooks."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any

from devlint.model.visible import visible

Failed = Callable[[Exception], object]
"""Called with an error of devlint itself."""
Leave = Callable[..., object]
"""Called when the function has returned or raised, with the arguments of `__exit__`."""
Enter = Callable[..., Leave | None]
"""Called with the arguments of the function, before it."""
Allowed = tuple[type[Exception], ...]
"""Errors that are raised to the caller, because they are no failures."""

_MESSAGE = "devlint failed; the program continues without being observed"


def hooked(enter: Enter, failed: Failed, allowed: Allowed = ()) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that calls `enter` before a function, and the result of `enter` after it.

    The function is called once, with its arguments. It returns its result or raises its error even if a hook
    fails.
    """

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            try:
                leave = enter(*args, **kwargs)
            except allowed:
                raise
            except Exception as error:
                failed(error)
                leave = None
            if leave is None:
                return function(*args, **kwargs)
            try:
                result = function(*args, **kwargs)
            except BaseException:
                _end(leave, failed, allowed)
                raise
            _end(leave, failed, allowed)
            return result

        return wrapper

    return around


def entered(context: AbstractContextManager[object]) -> Leave:
    """Enter a context. Returns its exit."""
    context.__enter__()
    return context.__exit__


def run_safely(work: Callable[[], object], failed: Failed, *_: object) -> None:
    """Do work of devlint itself, and report its failure to `failed` only. Further arguments are ignored."""
    try:
        work()
    except Exception as error:
        failed(error)


def report_failure(error: Exception, what: str = _MESSAGE) -> str:
    """Print on standard error that devlint has failed and the program continues. Returns the line."""
    text = " ".join(str(error).split())
    line = f"{what} ({type(error).__name__}: {text})" if text else f"{what} ({type(error).__name__})"
    with suppress(Exception):  # the program may have closed it; some processes have none
        sys.stderr.write(f"{visible(line)}\n")
    return line


def _end(leave: Leave, failed: Failed, allowed: Allowed) -> None:
    try:
        leave(*sys.exc_info())
    except allowed:
        raise
    except Exception as error:
        failed(error)
