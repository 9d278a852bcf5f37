"""How a program ends, as the interpreter itself would end it (CPython's `Python/pylifecycle.c`)."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from os import getpid
from typing import NoReturn

from devlint.instrumentation.tracebacks import clean, clean_tracebacks


@dataclass(frozen=True, slots=True)
class Ending:
    """What is left to do when a program has ended and its threads and exit handlers have, too."""

    code: object
    """What `SystemExit` would carry, but for text, which has been shown: a number or None."""
    interrupted: bool = False
    """Whether an interruption from the keyboard ended it."""

    @property
    def succeeded(self) -> bool:
        """Whether the program's caller would be told of success."""
        return not self.interrupted and self.code in (0, None)

    def leave(self) -> NoReturn:
        """End this process as the program's own would end.

        Raises:
            SystemExit: always, but after an interruption, which ends the process by its signal.
        """
        if self.interrupted:
            _die_of_interruption()
        raise SystemExit(self.code)


Explain = Callable[[BaseException], None]
"""Adds to an error that nobody caught what is known of it."""


def run_to_the_end(program: Callable[[], None], explain: Explain) -> Ending:
    """Run a program, then all that it left for later: threads, exit handlers. Raises nothing."""
    with clean_tracebacks():
        ending = _run(program, explain)
        _flush()
        _join_threads()
        atexit._run_exitfuncs()
        _flush()
    return ending


def _run(program: Callable[[], None], explain: Explain) -> Ending:
    failure: BaseException | None = None
    try:
        program()
    except SystemExit as leaving:
        _flush()
        return _asked_for(leaving)
    except BaseException as error:
        failure = error
    if failure is None:
        return Ending(0)
    _flush()
    # Not where it is caught, or it would count as the context of whatever goes wrong in showing it.
    explain(failure)
    return _failed(failure)


def _asked_for(leaving: SystemExit) -> Ending:
    """A number is the exit code; anything else is shown, and the code is 1."""
    if leaving.code is None or isinstance(leaving.code, int):
        return Ending(leaving.code)
    _say(leaving.code)
    return Ending(1)


def _failed(error: BaseException) -> Ending:
    """Show an exception that nobody caught by the program's own hook."""
    clean(error)
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
    """What later Pythons show themselves."""
    if sys.version_info < (3, 11) and sys.excepthook is sys.__excepthook__:
        for note in getattr(error, "__notes__", ()):
            _say(note)


def _join_threads() -> None:
    """Wait for the threads that are no daemons, as multiprocessing does at the end of its processes."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
    except BaseException as error:
        clean(error)
        _say(f"Exception ignored in: {threading!r}")
        _show(error)


def _flush() -> None:
    """Bring what was printed before what comes. A stream that cannot be written to is the interpreter's
    business, when it ends."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


def _show(error: BaseException) -> None:
    _say("".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip("\n"))


def _say(what: object) -> None:
    if sys.stderr is not None:
        with suppress(Exception):
            print(what, file=sys.stderr)  # noqa: T201


def _die_of_interruption() -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(getpid(), signal.SIGINT)
    raise SystemExit(130)  # where the signal does not end a process
