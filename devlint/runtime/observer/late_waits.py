"""Waits reported inside a call, where nothing can be raised: they are handled when the call has returned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import get_ident
from time import perf_counter

from devlint.runtime.observer.waits import Wait
from devlint.runtime.policy.levels import DisallowedError


@dataclass(frozen=True, slots=True)
class _Begun:
    """A wait that ends before the call that makes it returns."""

    thread: int
    wait: Wait
    started: float

    def settle(self) -> None:
        seconds = perf_counter() - self.started
        self.wait.permit.count(self.wait.key, lambda: self.wait.event, seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Refused:
    """A wait that a guard did not allow. It has been counted."""

    thread: int
    error: DisallowedError

    def settle(self) -> None:
        raise self.error


class LateWaits:
    """The waits of this process that are not yet handled."""

    def __init__(self) -> None:
        self.open: list[_Begun | _Refused] = []
        """Tested after every call, so it is a plain list."""

    def note(self, foresee: Callable[[], Wait], thread: int, *, measured: bool) -> None:
        """Record that the host begins to wait. The next call of the thread that returns raises the guard's
        error, if any.

        With `measured`, that call is the one that waits, and its duration is the waiting time.
        """
        try:
            wait = foresee()
        except DisallowedError as error:
            self.open.append(_Refused(thread, error))
            return
        if measured:
            self.open.append(_Begun(thread, wait, perf_counter()))
        else:
            wait.permit.count(wait.key, lambda: wait.event)

    def settle(self) -> None:
        """Count this thread's waits.

        Raises: DisallowedError: if a guard did not allow one of them.
        """
        thread = get_ident()
        mine = [late for late in self.open if late.thread == thread]
        self.open[:] = [late for late in self.open if late.thread != thread]
        for late in sorted(mine, key=lambda late: isinstance(late, _Refused)):
            late.settle()
