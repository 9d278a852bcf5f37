"""Room for recursion that the calling thread's stack may not have.

LibCST's parser is native code that recurses with the source and does not check the stack: on a thread with a
small one (a worker's, or the main thread's on Windows), deep code would end the process. A thread of its own
costs it a tenth of its time and more, since its memory is new each time. So it gets one only where the
calling thread's stack cannot grow.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

STACK_BYTES = 256 << 20
"""Address space, not memory: pages that are not reached are never touched."""

MOST_IN_PLACE = 96 << 20
"""Linux keeps 128 MiB free below the main thread's stack, at whose limit it looks when the stack grows."""

_lock = threading.Lock()

FRAMES = 4000
"""Python's recursion limit while functions are followed into each other: each takes some 30 frames."""

_limits: list[int] = []
"""The recursion limits that are wanted at the moment, behind the one that held before."""


@contextmanager
def recursion_limit(frames: int) -> Iterator[None]:
    """Let Python recurse so deep for a while. The limit is the process's: it stays as long as any thread
    wants it."""
    with _lock:
        if not _limits:
            _limits.append(sys.getrecursionlimit())
        _limits.append(frames)
        sys.setrecursionlimit(max(_limits))
    try:
        yield
    finally:
        with _lock:
            _limits.remove(frames)
            sys.setrecursionlimit(max(_limits))
            if len(_limits) == 1:
                _limits.clear()


def with_stack(size: int, work: Callable[[], Result]) -> Result:
    """Do work for which a stack of so many bytes is enough, and hand on its result or its exception."""
    if sys.platform == "linux" and size <= MOST_IN_PLACE and _is_main_thread():
        from resource import RLIMIT_STACK, getrlimit, setrlimit  # noqa: PLC0415  # there is none on Windows

        limit, most = getrlimit(RLIMIT_STACK)
        if limit < 0 or size <= limit:
            return work()
        if most < 0 or size <= most:
            setrlimit(RLIMIT_STACK, (size, most))
            try:
                return work()
            finally:
                setrlimit(RLIMIT_STACK, (limit, most))
    return on_deep_stack(work)


def _is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def on_deep_stack(work: Callable[[], Result]) -> Result:
    """Do work on a thread of its own with a deep stack, and hand on its result or its exception.

    Takes about 0.1 ms. Where no such thread can be started, the work is done on the calling thread.
    """
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # handed on to the caller
            failures.append(error)

    thread = _start(run)
    if thread is None:
        return work()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def _start(run: Callable[[], None]) -> threading.Thread | None:
    with _lock:  # the size is the process's, for all threads that start meanwhile
        try:
            before = threading.stack_size(STACK_BYTES)
        except (RuntimeError, ValueError):
            return None
        try:
            thread = threading.Thread(target=run, name="devlint-deep-stack", daemon=True)
            thread.start()
        except RuntimeError:
            return None
        finally:
            threading.stack_size(before)
    return thread
