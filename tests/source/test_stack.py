"""Work on a deep stack: its result, its exception, and nothing left behind."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from devlint.source.stack import MOST_IN_PLACE, on_deep_stack, recursion_limit, with_stack
from tests.source.depths import needs_deep_recursion


def depth(levels: int) -> int:
    return 1 + depth(levels - 1) if levels else 0


@needs_deep_recursion
def test_recursion_goes_deeper_than_the_usual_limit() -> None:
    levels = sys.getrecursionlimit() * 2
    with pytest.raises(RecursionError):
        depth(levels)
    with recursion_limit(levels * 2):
        assert on_deep_stack(lambda: depth(levels)) == levels


def test_limits_are_as_before() -> None:
    before = (sys.getrecursionlimit(), threading.stack_size())
    with recursion_limit(50_000):
        on_deep_stack(lambda: None)
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_a_limit_holds_as_long_as_anybody_wants_it() -> None:
    before = sys.getrecursionlimit()
    long, short = recursion_limit(50_000), recursion_limit(40_000)
    long.__enter__()
    short.__enter__()
    long.__exit__(None, None, None)
    assert sys.getrecursionlimit() == 40_000
    short.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_exceptions_are_handed_on(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        on_deep_stack(fail)
    assert caught.value is error


def test_without_threads_the_work_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert on_deep_stack(lambda: 1) == 1


DEEP = """\
import sys, threading
from devlint.source.parse import parse
start, level, count, end, where = sys.argv[1:]
text = start + level * int(count) + end
def check():
    parse(text, "a.py")
    print("parsed")
if where == "main":
    check()
else:
    threading.stack_size(256 << 10)
    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize("where", ["main", "thread"])
def test_deep_code_ends_no_process(where: str) -> None:
    arguments = [sys.executable, "-c", DEEP, "if a: pass\n", "elif b: pass\n", "12000", "", where]
    done = subprocess.run(arguments, capture_output=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, b"parsed")


@pytest.mark.skipif(sys.platform != "linux", reason="the main thread's stack does not grow elsewhere")
def test_work_stays_on_the_main_thread_where_its_stack_can_grow() -> None:
    from resource import RLIMIT_STACK, getrlimit  # noqa: PLC0415

    before = getrlimit(RLIMIT_STACK)
    assert with_stack(MOST_IN_PLACE, threading.get_ident) == threading.get_ident()
    assert with_stack(MOST_IN_PLACE + 1, threading.get_ident) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        with_stack(MOST_IN_PLACE, lambda: 1 // 0)
    assert getrlimit(RLIMIT_STACK) == before
    stays = on_deep_stack(lambda: with_stack(1, threading.get_ident) == threading.get_ident())
    assert not stays
