"""The guard: observes and limits what code does between host and devices."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from operator import index
from types import TracebackType

from devlint.instrumentation.decorating import ContextFactory, Function, decorated
from devlint.instrumentation.tracebacks import clean
from devlint.model import Finding
from devlint.runtime.policy import active_guards
from devlint.runtime.policy.levels import SUBJECTS, Levels, levels
from devlint.runtime.recording.findings import findings
from devlint.runtime.recording.recorder import Recorder, Tally, Warmup
from devlint.runtime.session.observation import ProcessObserver, shared


class Guard:
    """Observes a block or, as a decorator, each call of a function.

    Guards nest: a level of the inner guard overrides that of the outer one, which records what the inner one
    permits. A guard is active in the thread that enters it, and in threads that are started inside.
    Generators and coroutines are observed while they run, but not the code between their steps.
    """

    def __init__(self, own: Levels, warmup: Warmup | None = None) -> None:
        self._own = own
        self._observation: ProcessObserver = shared()
        self._recorder = Recorder(self._observation.progress, warmup)
        self._entered = _Entered()

    @property
    def findings(self) -> list[Finding]:
        """The findings so far, the worst first."""
        return findings(self.tallies(), self._observation.sites)

    def tallies(self) -> list[Tally]:
        """The events so far, counted by place."""
        self._observation.collect()
        return self._recorder.tallies()

    def __enter__(self) -> Guard:
        stack = ExitStack()
        self._observation.hold()
        stack.callback(self._observation.release)
        stack.callback(active_guards.leave, active_guards.enter(self._own, self._recorder))
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
            raise RuntimeError("the guard was not entered in this thread: use `with`")
        self._entered.stacks.pop().close()
        if error is not None:
            clean(error)

    def __call__(self, function: Function) -> Function:
        """The function, observed in each call.

        Raises: TypeError: if it is not a function.
        """
        return decorated(function, ContextFactory("a guard", step=self))


class _Entered(threading.local):
    """What each thread needs to leave the guard. Several threads can be in the guard of a function at a
    time."""

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

    Levels are `allow`, `log` and `disallow`. For transfers, these apply to implicit ones; `log_explicit` and
    `disallow_explicit` also apply to those that the program requests (`.to()`, `.cuda()`, `copy_`). A level
    that is not given is that of the guard around; in the outermost guard it is that of `devlint run`: report
    everything, and let torch raise its error for a mismatch. `warmup` is how often each place is ignored
    before it counts.

    Raises: ValueError: if a level does not exist, or `warmup` is negative. TypeError: if `warmup` is not an
    integer.
    """
    return Guard(levels(mismatch, sync, host_to_device, device_to_host), Warmup(occurrences=_times(warmup)))


def _times(warmup: int) -> int:
    try:
        times = index(warmup)
    except TypeError:
        raise TypeError(f"warmup={warmup!r}: must be an integer") from None
    if times < 0:
        raise ValueError(f"warmup={times}: must not be negative")
    return times


def allow(*subjects: str) -> Guard:
    """Allow in a block what a guard around it reports or disallows: `with devlint.allow("sync"):`.

    Without subjects, everything is allowed.

    Raises: ValueError: if a subject does not exist.
    """
    for subject in subjects:
        if subject not in SUBJECTS:
            raise ValueError(f"{subject!r} is not a subject of guards: choose from {', '.join(SUBJECTS)}")
    return Guard(levels(**dict.fromkeys(subjects or SUBJECTS, "allow")))
