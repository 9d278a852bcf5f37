"""Room for recursion that the calling thread's stack may not have.

LibCST's parser is native code that recurses with the source and does not check the stack: on a thread with a
small one (a worker's, or the main thread's on Windows), deep code would end the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

STACK_BYTES = 256 << 20
"""Address space, not memory: pages that are not reached are never touched."""

_stack_size = threading.Lock()


def on_deep_stack(work: Callable[[], Result], recursion_limit: int | None = None) -> Result:
    """Do work on a thread of its own with a deep stack, and hand on its result or its exception.

    Takes about 0.1 ms. `recursion_limit` is Python's limit meanwhile. Where no such thread can be started,
    the work is done on the calling thread.
    """
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # handed on to the caller
            failures.append(error)

    before = sys.getrecursionlimit()
    if recursion_limit is not None:
        sys.setrecursionlimit(max(before, recursion_limit))
    try:
        thread = _start(run)
        if thread is None:
            return work()
        thread.join()
    finally:
        sys.setrecursionlimit(before)
    if failures:
        raise failures[0]
    return results[0]


def _start(run: Callable[[], None]) -> threading.Thread | None:
    with _stack_size:  # the size is the process's, for all threads that start meanwhile
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
