"""The active guards of this thread, and what they allow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from devlint.model import Event, SiteId
from devlint.runtime.policy.levels import DEFAULT, DisallowedError, Level, Levels
from devlint.runtime.recording.recorder import Recorder


@dataclass(frozen=True, slots=True)
class ActiveGuard:
    """An active guard: its levels, combined with those of the guards around, and its recorder."""

    levels: Levels
    recorder: Recorder


ActiveGuards = tuple[ActiveGuard, ...]
"""The guards around some code, the outermost first."""

_everywhere: list[ActiveGuard] = []
"""Guards that are active in every thread: that of `devlint run`."""
_here: ContextVar[ActiveGuards | None] = ContextVar("devlint_guards", default=None)


def here() -> ActiveGuards | None:
    """The guards of this thread; None if only those of all threads are active."""
    return _here.get()


def current() -> ActiveGuards:
    """The guards around the code that runs now."""
    here = _here.get()
    return tuple(_everywhere) if here is None else here


def enter(own: Levels, recorder: Recorder) -> ActiveGuards | None:
    """Activate a guard in this thread; returns what `leave` needs."""
    before = _here.get()
    around = current()
    outer = around[-1].levels if around else DEFAULT
    _here.set((*around, ActiveGuard(own.over(outer), recorder)))
    return before


def leave(before: ActiveGuards | None) -> None:
    """Deactivate the innermost guard of this thread."""
    _here.set(before)


@contextmanager
def adopted(guards: ActiveGuards | None) -> Iterator[None]:
    """In a thread without guards, activate those of the thread for which it works."""
    if guards is None or _here.get() is not None:
        yield
        return
    _here.set(guards)
    try:
        yield
    finally:
        _here.set(None)


def enter_everywhere(own: Levels, recorder: Recorder) -> ActiveGuard:
    """Activate a guard in all threads; returns what `leave_everywhere` needs."""
    guard = ActiveGuard(own.over(DEFAULT), recorder)
    _everywhere.append(guard)
    return guard


def leave_everywhere(guard: ActiveGuard) -> None:
    """Deactivate a guard of all threads."""
    _everywhere.remove(guard)


def start_over(levels: Levels, recorder: Recorder) -> None:
    """In a child process: replace all guards by one for all threads, from whose recorder the child
    reports."""
    _everywhere[:] = [ActiveGuard(levels, recorder)]
    _here.set(None)


@dataclass(frozen=True, slots=True)
class Permit:
    """The guards' permission for an event: the recorders that count it, if any."""

    recorders: tuple[Recorder, ...]

    def count(
        self,
        key: Hashable,
        event: Callable[[], Event],
        *,
        seconds: float | None = None,
        size: int | None = None,
        forward: Callable[[], bool] = bool,
    ) -> None:
        """Count it with every guard; see `Recorder.count`."""
        for recorder in self.recorders:
            recorder.count(key, event, seconds, size, forward)

    def refuse(self, key: Hashable, event: Callable[[], Event]) -> None:
        """Count a disallowed event, and that the program was stopped there."""
        self.count(key, event)
        for recorder in self.recorders:
            recorder.refused = True


NOT_WATCHED = Permit(())


def ask(
    subject: str,
    site: SiteId,
    key: Hashable,
    event: Callable[[], Event],
    what: Callable[[], str],
    *,
    explicit: bool = False,
) -> Permit:
    """Ask the guards for permission before an event.

    `subject` is one of `policy.SUBJECTS`. `explicit` means that the program requested it. If it is
    disallowed, `key` and `event` are counted at once, and `what` describes it in the error.

    Raises: DisallowedError: if the innermost guard with a level for the subject does not allow it.
    """
    guards = current()
    if not guards:
        return NOT_WATCHED
    level = getattr(guards[-1].levels, subject)
    if level is Level.ALLOW or (explicit and level in (Level.LOG, Level.DISALLOW)):
        return NOT_WATCHED
    recorders = tuple(guard.recorder for guard in guards if not guard.recorder.warming_up(site))
    permit = Permit(recorders)
    if recorders and level in (Level.DISALLOW, Level.DISALLOW_EXPLICIT):
        permit.refuse(key, event)
        raise DisallowedError(f"{what()}: {subject}={level.value!r}")
    return permit


def watched() -> Permit:
    """The permission for events that have no level."""
    return Permit(tuple(guard.recorder for guard in current()))
