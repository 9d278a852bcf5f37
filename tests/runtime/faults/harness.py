"""Faults inside devlint: an exception in one of its functions, while a program runs under `devlint run`.

A process is forked for each function that a run enters, with torch imported already. In the process, tracing
raises at the first line that the function executes. What the program prints and its exit code are to be what
they are without devlint.
"""

from __future__ import annotations

import atexit
import dis
import linecache
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import devlint
from devlint.cli import main

HOME = str(Path(devlint.__file__).parent)
PACKAGES = ("runtime", "simulation", "tensors", "instrumentation", "report", f"pipeline{os.sep}observed")
"""The packages into which faults are injected: observer, guard and trace, simulated devices, instrumentation,
report."""
WATCHED = tuple(f"{HOME}{os.sep}{name}{os.sep}" for name in PACKAGES)
UNBEGUN = 73
"""The exit code of a process that was interrupted before it ran anything of devlint."""
Step = tuple[str, str, int]
"""A function: its file below `HOME`, its qualified name and its first line."""


_READS = ("RESUME", "COPY_FREE_VARS", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "RETURN_CONST", "RETURN_VALUE")


class InjectedError(Exception):
    """The injected error."""


class Done(NamedTuple):
    """The exit code and output of a process."""

    code: int
    out: str
    err: str


def steps_of(arguments: Sequence[str], where: Path) -> list[Step]:
    """The functions of devlint that a run enters."""
    known = where / "steps"

    def noting() -> Callable[[], None]:
        entered: dict[Step, None] = {}

        def trace(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and _is_watched(frame.f_code):
                entered.setdefault(_step(frame.f_code))

        _trace(trace)
        return lambda: _write(known, entered)

    _in_child(arguments, where, noting)
    return [
        (path, name, int(line)) for path, name, line in map(_split, known.read_text("utf-8").splitlines())
    ]


def run_with_fault(step: Step, arguments: Sequence[str], where: Path) -> Done:
    """Run a program with an exception in one function, the first time that it is entered."""

    def failing() -> Callable[[], None]:
        def at_line(frame: FrameType, event: str, _: Any) -> Any:
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            if event == "line" and line != "try:":  # what it guards comes behind it
                raise InjectedError(":".join(map(str, step)))
            return at_line

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            watched = event == "call" and _is_watched(frame.f_code)
            return at_line if watched and _step(frame.f_code) == step else None

        _trace(trace)
        return lambda: None

    return _in_child(arguments, where, failing)


def _trace(trace: Any) -> None:
    threading.settrace(trace)
    sys.settrace(trace)


def _is_watched(code: CodeType) -> bool:
    """Whether it is a function of devlint that can fail, and no module or class that is being made."""
    return code.co_filename.startswith(WATCHED) and bool(code.co_flags & CO_OPTIMIZED) and _can_fail(code)


@cache
def _can_fail(code: CodeType) -> bool:
    """Whether a function does more than return a name or constant."""
    return any(each.opname not in _READS for each in dis.get_instructions(code))


def _step(code: CodeType) -> Step:
    return os.path.relpath(code.co_filename, HOME), _qualified(code), code.co_firstlineno


def _qualified(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name)


def _write(path: Path, steps: dict[Step, None]) -> None:
    path.write_text("".join("\t".join(map(str, step)) + "\n" for step in steps), "utf-8")


def _split(line: str) -> tuple[str, str, str]:
    path, name, number = line.split("\t")
    return path, name, number


def _in_child(arguments: Sequence[str], where: Path, prepare: Callable[[], Callable[[], None]]) -> Done:
    """Run `devlint run` in a copy of this process, to its end."""
    _, status = os.waitpid(start_in_child(arguments, where, prepare), 0)
    out, err = ((where / name).read_text("utf-8") for name in ("out", "err"))
    return Done(os.waitstatus_to_exitcode(status), out, err)


def start_in_child(arguments: Sequence[str], where: Path, prepare: Callable[[], Callable[[], None]]) -> int:
    """Start `devlint run` in a copy of this process, which writes to the files `out` and `err`.

    What `prepare` returns is called at the end. Returns the number of the process.
    """
    child = os.fork()
    if child == 0:
        code: object = 70
        has_begun = False
        try:
            for number, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(where / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            for number, name in ((1, "stdout"), (2, "stderr")):
                setattr(sys, name, os.fdopen(number, "w", buffering=1))
            os.chdir(where)
            atexit._clear()  # what this process has left for its own end
            finish = prepare()
            has_begun = True
            code = _leave(arguments)
            sys.settrace(None)
            finish()
        except KeyboardInterrupt:
            code = 72 if has_begun else UNBEGUN
        finally:
            with suppress(Exception):  # the program may have closed them
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code if isinstance(code, int) else 71)
    return child


def _leave(arguments: Sequence[str]) -> object:
    try:
        return main(["run", *arguments])
    except SystemExit as leaving:
        return 0 if leaving.code is None else leaving.code
    except KeyboardInterrupt:
        if sys.excepthook is sys.__excepthook__:
            raise  # a traceback would be shown, which is not the program's
        _end_as_the_interpreter()
        raise


def _end_as_the_interpreter() -> None:
    """End by the signal, as a process does that leaves by `KeyboardInterrupt`."""
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def is_refusal(done: Done) -> bool:
    """Whether devlint has failed before the program began, and said so in one line."""
    return (
        done.code == 2
        and not done.out
        and done.err.startswith("error: devlint failed")
        and done.err.count("\n") == 1
    )
