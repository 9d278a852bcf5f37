"""Ending a program as the interpreter does (CPython's `Python/pylifecycle.c`)."""

from __future__ import annotations

import atexit
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from devlint.instrumentation.hooks import report_failure, run_safely
from devlint.instrumentation.tracebacks import clean, clean_tracebacks


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended, after its threads and exit handlers have run."""

    code: object
    """The code of `SystemExit`: a number or None. Text has already been printed."""
    interrupted: bool = False
    """Whether `KeyboardInterrupt` ended it."""


Explain = Callable[[BaseException], None]
"""Adds a note to an uncaught error."""


def run_to_the_end(program: Callable[[], object], explain: Explain) -> Ending:
    """Run a program, its remaining threads, and its exit handlers. Raises nothing."""
    with clean_tracebacks():
        ending = _run(program, explain)
        for step in (_flush, _join_threads, atexit._run_exitfuncs, _flush):
            run_safely(step, report_failure)
    return ending


def _run(program: Callable[[], object], explain: Explain) -> Ending:
    failure: BaseException | None = None
    try:
        program()
    except SystemExit as leaving:
        run_safely(_flush, report_failure)
        if leaving.code is None or isinstance(leaving.code, int):
            return Ending(leaving.code)
        return _asked_for(leaving)
    except BaseException as error:
        failure = error
    if failure is None:
        return Ending(0)
    run_safely(_flush, report_failure)
    # Outside of the handler; otherwise it would be the context of errors while it is shown.
    explain(failure)
    return _failed(failure)


def _asked_for(leaving: SystemExit) -> Ending:
    """A number is the exit code. Anything else is printed, and the code is 1."""
    if leaving.code is None or isinstance(leaving.code, int):
        return Ending(leaving.code)
    _say(leaving.code)
    return Ending(1)


def _failed(error: BaseException) -> Ending:
    """Show an uncaught exception by the program's `sys.excepthook`."""
    run_safely(partial(clean, error), report_failure)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    try:
        sys.excepthook(type(error), error, error.__traceback__)
        _show_notes(error)
    except SystemExit as leaving:
        return _asked_for(leaving)
    except BaseException as failure:
        clean(failure)
        _say("Error in sys.excepthook:")
        _show(failure)
        _say("\nOriginal exception was:")
        _show(error)
    return Ending(1, isinstance(error, KeyboardInterrupt))


def _show_notes(error: BaseException) -> None:
    """Print notes, which later releases of Python do by themselves."""
    if sys.version_info < (3, 11) and sys.excepthook is sys.__excepthook__:
        for note in getattr(error, "__notes__", ()):
            _say(note)


def _join_threads() -> None:
    """Wait for the non-daemon threads, as multiprocessing does at the end of its processes."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
    except BaseException as error:
        clean(error)
        _say(f"Exception ignored in: {threading!r}")
        _show(error)


def _flush() -> None:
    """Flush the output of the program before further output. The interpreter reports broken streams at
    exit."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


def _show(error: BaseException) -> None:
    _say("".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip("\n"))


def _say(what: object) -> None:
    if sys.stderr is not None:
        with suppress(Exception):
            print(what, file=sys.stderr)  # noqa: T201
