"""Tracebacks without devlint's frames, raised by code that claims to lie in devlint, torch and a program."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import devlint
from devlint.instrumentation.tracebacks import clean, clean_tracebacks, without_devlint

OWN = str(Path(devlint.__file__).parent / "runtime" / "observer" / "mode.py")
TORCH = "/lib/python3/site-packages/torch"


def function(file: str, body: str, **known: Any) -> Callable[..., Any]:
    """A function `f(*args)` with a body of one line that lies in a file of that name."""
    namespace: dict[str, Any] = dict(known)
    exec(compile(f"def f(*args):\n    {body}\n", file, "exec"), namespace)
    made: Callable[..., Any] = namespace["f"]
    return made


def through_a_mode(problem: str = "1 / 0") -> Callable[[], Any]:
    """A call of a function of torch that is written in Python, which a mode sees: it is entered twice."""
    handler = function(OWN, "return args[0](True)")
    override = function(f"{TORCH}/overrides.py", "return handler(*args)", handler=handler)
    linear = function(f"{TORCH}/nn/functional.py", f"{problem} if args else override(f)", override=override)
    return function("train.py", "return linear()", linear=linear)


def raised(call: Callable[[], object]) -> BaseException:
    try:
        call()
    except Exception as error:
        assert error.__traceback__ is not None
        error.__traceback__ = error.__traceback__.tb_next  # this function's own entry
        return error
    raise AssertionError("nothing was raised")


def names(error: BaseException) -> list[str]:
    return [Path(frame.filename).name for frame in traceback.extract_tb(error.__traceback__)]


def test_what_leads_to_a_mode_and_from_it_goes() -> None:
    error = raised(through_a_mode())
    assert names(error) == ["train.py", "functional.py", "overrides.py", "mode.py", "functional.py"]
    clean(error)
    assert names(error) == ["train.py", "functional.py"]


def test_what_a_mode_raises_itself_is_raised_where_it_was_called() -> None:
    kernel = function(OWN, "1 / 0")
    error = raised(function("train.py", "kernel()", kernel=kernel))
    clean(error)
    assert names(error) == ["train.py"]


def test_what_is_not_devlints_stays() -> None:
    override = function(f"{TORCH}/overrides.py", "1 / 0")
    error = raised(function("train.py", "override()", override=override))
    entries = error.__traceback__
    assert without_devlint(entries) is entries
    assert names(error) == ["train.py", "overrides.py"]


def test_recursion_is_no_second_entry() -> None:
    handler = function(OWN, "1 / 0")
    error = raised(function("train.py", "f(1) if not args else handler()", handler=handler))
    clean(error)
    assert names(error) == ["train.py", "train.py"]


def test_errors_behind_an_error_are_cleaned() -> None:
    cause = raised(through_a_mode())
    error = raised(through_a_mode("int('x')"))
    error.__cause__, cause.__context__ = cause, error
    clean(error)
    assert names(error) == names(cause) == ["train.py", "functional.py"]


def test_what_programs_show_is_clean_and_what_they_hold_is_not_touched(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = raised(through_a_mode())
    with clean_tracebacks():
        shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        try:
            through_a_mode()()
        except ZeroDivisionError:
            logging.getLogger().exception("oh")
    assert "mode.py" not in shown + caplog.text
    assert "functional.py" in shown
    assert "functional.py" in caplog.text
    assert "mode.py" in names(error)
    assert "mode.py" in "".join(traceback.format_exception(type(error), error, error.__traceback__))


def test_threads_show_clean_tracebacks(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def hook(failure: Any) -> None:
        shown.extend(frame.filename for frame in traceback.extract_tb(failure.exc_traceback))

    monkeypatch.setattr(threading, "excepthook", hook)
    with clean_tracebacks():
        thread = threading.Thread(target=through_a_mode())
        thread.start()
        thread.join()
    assert threading.excepthook is hook
    assert shown[-2:] == ["train.py", f"{TORCH}/nn/functional.py"]
