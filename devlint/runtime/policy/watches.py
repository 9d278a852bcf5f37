"""Who is watching: the guards around the code that runs now, in this thread, and what they allow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from devlint.model import Event, SiteId
from devlint.runtime.policy.levels import DEFAULT, DisallowedError, Level, Levels
from devlint.runtime.recording.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Watch:
    """One guard at work: the levels that hold inside it, of the guards around too, and its counts."""

    levels: Levels
    recorder: Recorder


Watches = tuple[Watch, ...]
"""The guards around some code, the outermost first."""

_everywhere: list[Watch] = []
"""Guards that hold in every thread: that of `devlint run`."""
_here: ContextVar[Watches | None] = ContextVar("devlint_guards", default=None)


def here() -> Watches | None:
    """The guards that this thread knows of itself; None where only those of all threads hold."""
    return _here.get()


def current() -> Watches:
    """The guards around the code that runs now."""
    here = _here.get()
    return tuple(_everywhere) if here is None else here


def enter(own: Levels, recorder: Recorder) -> Watches | None:
    """Put a guard around what runs in this thread from now on; returns what `leave` needs."""
    before = _here.get()
    around = current()
    outer = around[-1].levels if around else DEFAULT
    _here.set((*around, Watch(own.over(outer), recorder)))
    return before


def leave(before: Watches | None) -> None:
    """Take the innermost guard of this thread away again."""
    _here.set(before)


@contextmanager
def adopted(watches: Watches | None) -> Iterator[None]:
    """In a thread that knows no guards: be watched by those of the thread that it works for."""
    if watches is None or _here.get() is not None:
        yield
        return
    _here.set(watches)
    try:
        yield
    finally:
        _here.set(None)


def enter_everywhere(own: Levels, recorder: Recorder) -> Watch:
    """Put a guard around all threads; returns what `leave_everywhere` takes."""
    watch = Watch(own.over(DEFAULT), recorder)
    _everywhere.append(watch)
    return watch


def leave_everywhere(watch: Watch) -> None:
    """Take a guard away from all threads."""
    _everywhere.remove(watch)


def start_over(levels: Levels, recorder: Recorder) -> None:
    """In a child process: one guard for all threads, whose recorder the child can report from."""
    _everywhere[:] = [Watch(levels, recorder)]
    _here.set(None)


@dataclass(frozen=True, slots=True)
class Permit:
    """What the guards say to something about to happen: count it, nowhere if there are no recorders."""

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
        """Count what is not allowed, and that the program was stopped there."""
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
    """Ask the guards before something happens at a place.

    `subject` is one of `policy.SUBJECTS`. `explicit` says that the program asked for it by name. `key` and
    `event` are counted at once where it may not happen, and `what` says it in a sentence.

    Raises:
        DisallowedError: the innermost guard with a level for the subject does not allow it.
    """
    watches = current()
    if not watches:
        return NOT_WATCHED
    level = getattr(watches[-1].levels, subject)
    if level is Level.ALLOW or (explicit and level in (Level.LOG, Level.DISALLOW)):
        return NOT_WATCHED
    recorders = tuple(watch.recorder for watch in watches if not watch.recorder.warming_up(site))
    permit = Permit(recorders)
    if recorders and level in (Level.DISALLOW, Level.DISALLOW_EXPLICIT):
        permit.refuse(key, event)
        raise DisallowedError(f"{what()}: {subject}={level.value!r}")
    return permit


def watched() -> Permit:
    """Leave to count what no level is about."""
    return Permit(tuple(watch.recorder for watch in current()))
