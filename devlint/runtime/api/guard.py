"""The guard: what a piece of code may do between host and device, and what it did."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from operator import index
from types import TracebackType

from devlint.instrumentation.decorating import ContextFactory, Function, surrounded
from devlint.instrumentation.tracebacks import clean
from devlint.model import Finding
from devlint.runtime.policy import watches
from devlint.runtime.policy.levels import SUBJECTS, Levels, levels
from devlint.runtime.recording.findings import findings
from devlint.runtime.recording.recorder import Recorder, Tally, Warmup
from devlint.runtime.session.observation import ProcessObserver, shared


class Guard:
    """Watches a block, or with `@` each call of a function.

    Guards nest: the inner one decides where it says something, the outer ones see what it lets through. A
    guard holds in the thread that enters it, and in threads started inside it. Generators and coroutines are
    watched while they run, and not what runs between their steps.
    """

    def __init__(self, own: Levels, warmup: Warmup | None = None) -> None:
        self._own = own
        self._warmup = warmup
        self._observation: ProcessObserver = shared()
        self._recorder = Recorder(self._observation.progress, warmup)
        self._entered = _Entered()

    @property
    def findings(self) -> list[Finding]:
        """What was found so far, worst first."""
        return findings(self.tallies(), self._observation.sites)

    def tallies(self) -> list[Tally]:
        """What was seen so far, counted by place."""
        self._observation.collect()
        return self._recorder.tallies()

    def __enter__(self) -> Guard:
        stack = ExitStack()
        self._observation.hold()
        stack.callback(self._observation.release)
        stack.callback(watches.leave, watches.enter(self._own, self._recorder))
        stack.enter_context(self._observation.in_this_thread())
        self._entered.stacks.append(stack)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._entered.stacks:
            raise RuntimeError("a guard is left that was not entered in this thread: use `with`")
        self._entered.stacks.pop().close()
        if error is not None:
            clean(error)

    def __call__(self, function: Function) -> Function:
        """The function, watched.

        Raises:
            TypeError: it is no function.
        """
        return surrounded(function, ContextFactory("a guard", step=self))


class _Entered(threading.local):
    """How to leave what a thread has entered: a guard of a function is entered by several at a time."""

    def __init__(self) -> None:
        self.stacks: list[ExitStack] = []


def guard(
    *,
    mismatch: str | None = None,
    sync: str | None = None,
    host_to_device: str | None = None,
    device_to_host: str | None = None,
    warmup: int = 0,
) -> Guard:
    """Guard a block (`with devlint.guard(sync="disallow"):`) or a function (`@devlint.guard(...)`).

    Levels are `allow`, `log` and `disallow`; for transfers, these are about implicit ones, and `log_explicit`
    and `disallow_explicit` about those too that the program asks for (`.to()`, `.cuda()`, `copy_`). What is
    not given is as in the guard around, and in the outermost one as under `devlint run`: report all, and let
    torch raise where operands clash. `warmup` is how often each place may be passed before it counts.

    Raises:
        ValueError: there is no such level, or `warmup` is below 0.
        TypeError: `warmup` is no whole number.
    """
    return Guard(levels(mismatch, sync, host_to_device, device_to_host), Warmup(occurrences=_times(warmup)))


def _times(warmup: int) -> int:
    try:
        times = index(warmup)
    except TypeError:
        raise TypeError(f"warmup={warmup!r}: a whole number of times is needed") from None
    if times < 0:
        raise ValueError(f"warmup={times}: a number of times is not below 0")
    return times


def allow(*subjects: str) -> Guard:
    """Allow something in a block that a guard around it reports or forbids: `with devlint.allow("sync"):`.

    Without a subject, everything is allowed.

    Raises:
        ValueError: there is no such subject.
    """
    for subject in subjects:
        if subject not in SUBJECTS:
            raise ValueError(f"{subject!r} is no subject of a guard: there are {', '.join(SUBJECTS)}")
    return Guard(levels(**dict.fromkeys(subjects or SUBJECTS, "allow")))
