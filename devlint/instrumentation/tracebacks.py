"""Removing devlint's frames from tracebacks."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from types import TracebackType
from typing import Any

from devlint.instrumentation.hooks import report_failure, run_safely
from devlint.instrumentation.own_files import is_own
from devlint.instrumentation.patches import Patches

_MACHINERY = ("torch/overrides.py", "torch/_ops.py", "torch/utils/_python_dispatch.py", "<frozen importlib")
"""The files by which calls reach a mode, and by which a mode passes them on."""


def without_devlint(found: TracebackType | None) -> TracebackType | None:
    """A new traceback without devlint's frames and those that lead to and from them."""
    entries = list(_entries(found))
    if not any(_is_own(entry) for entry in entries):
        return found
    return _chained(_kept(entries))


@contextmanager
def clean_tracebacks() -> Iterator[None]:
    """Removes devlint's frames from the tracebacks of threads and of the module `traceback`, which `logging`
    uses."""
    patches = Patches()
    patch(patches)
    try:
        yield
    finally:
        run_safely(patches.undo, report_failure)


def patch(patches: Patches) -> None:
    """Remove the frames until the patches are undone."""
    patches.wrap(traceback.TracebackException, "__init__", _cleaning_init)
    patches.wrap(threading, "excepthook", _cleaning_hook)


def _cleaning_init(original: Callable[..., None]) -> Callable[..., None]:
    def __init__(  # noqa: N807  # it stands in for this method
        self: traceback.TracebackException,
        exc_type: type[BaseException],
        exc_value: BaseException,
        exc_traceback: TracebackType | None,
        *rest: Any,
        **options: Any,
    ) -> None:
        original(self, exc_type, exc_value, _cleaned(exc_traceback), *rest, **options)

    return __init__


def _cleaning_hook(original: Callable[[Any], object]) -> Callable[[Any], object]:
    def excepthook(failure: threading.ExceptHookArgs) -> None:
        error = failure.exc_value
        if error is not None:
            run_safely(lambda: clean(error), report_failure)
        # The hook gets the traceback separately from its exception.
        cleaned = failure.exc_type, error, _cleaned(failure.exc_traceback), failure.thread
        original(threading.ExceptHookArgs(cleaned))

    return excepthook


def _cleaned(found: TracebackType | None) -> TracebackType | None:
    try:
        return without_devlint(found)
    except Exception as own:
        report_failure(own)
        return found


def clean(error: BaseException) -> None:
    """Remove devlint's frames from the traceback of an exception, and of all chained exceptions."""
    waiting = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = without_devlint(each.__traceback__)
        waiting += [linked for linked in (each.__cause__, each.__context__) if linked is not None]
        waiting += getattr(each, "exceptions", ()) if _is_group(each) else ()


def _entries(found: TracebackType | None) -> Iterator[TracebackType]:
    while found is not None:
        yield found
        found = found.tb_next


def _kept(entries: list[TracebackType]) -> list[TracebackType]:
    """The entries of the program.

    An overridable function of torch in Python is entered twice: to ask the mode, and by the mode. The first
    entry is removed.
    """
    kept: list[TracebackType] = []
    removed = False
    for alien, group in groupby(entries, _is_machinery):
        members = list(group)
        if alien and any(map(_is_own, members)):
            removed = True
            continue
        if removed and kept and kept[-1].tb_frame.f_code is members[0].tb_frame.f_code:
            kept.pop()
        kept += members
        removed = False
    return kept


def _chained(entries: Iterable[TracebackType]) -> TracebackType | None:
    chain: TracebackType | None = None
    for entry in reversed(list(entries)):
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return chain


def _is_own(entry: TracebackType) -> bool:
    return is_own(entry.tb_frame.f_code.co_filename)


def _is_machinery(entry: TracebackType) -> bool:
    return is_machinery(entry.tb_frame.f_code.co_filename)


def is_machinery(filename: str) -> bool:
    """Whether a file is devlint's, or one by which calls reach and leave a mode."""
    return is_own(filename) or any(part in filename.replace("\\", "/") for part in _MACHINERY)


def _is_group(error: BaseException) -> bool:
    """Whether it is an exception group, which exist from Python 3.11 on."""
    return isinstance(getattr(error, "exceptions", None), tuple)
