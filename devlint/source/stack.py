"""Stack space for recursion that the calling thread may not have.

LibCST's parser is native code that recurses with the source and does not check the stack. On a thread with a
small stack (a worker's, or the main thread's on Windows), deep code would kill the process. A separate thread
makes the parser at least a tenth slower, because its memory is new each time. It is therefore only used if
the stack of the calling thread cannot grow.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

STACK_BYTES = 256 << 20
"""Address space, not memory: pages that are not used are not allocated."""

MOST_IN_PLACE = 96 << 20
"""Linux reserves 128 MiB below the main thread's stack, whose limit it checks when the stack grows."""

_lock = threading.Lock()

FRAMES = 4000
"""Python's recursion limit while calls are followed: each takes about 30 frames."""

_limits: list[int] = []
"""The requested recursion limits, after the original one."""


@contextmanager
def recursion_limit(frames: int) -> Iterator[None]:
    """Raise Python's recursion limit in a block. The limit belongs to the process: it stays as long as any
    thread needs it."""
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
    """Run a function with a stack of at least so many bytes, and return its result or raise its exception."""
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
    """Run a function on a separate thread with a deep stack, and return its result or raise its exception.

    Takes about 0.1 ms. If no such thread can be started, the function runs on the calling thread.
    """
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised in the calling thread
            failures.append(error)

    thread = _start(run)
    if thread is None:
        return work()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def _start(run: Callable[[], None]) -> threading.Thread | None:
    with _lock:  # the size applies to all threads of the process that start meanwhile
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
