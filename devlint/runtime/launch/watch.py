"""A session that starts when the program imports torch, and never disturbs the program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from importlib.util import find_spec
from os import getpid
from sys import _getframe
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

from devlint.instrumentation.hooks import report_failure
from devlint.instrumentation.import_hook import ImportHook
from devlint.model import EditRequest, Event, SiteId, Synchronization, Transfer
from devlint.model.visible import visible
from devlint.runtime.launch.versions import untested
from devlint.runtime.places.sites import LocatedSites, Sites
from devlint.runtime.trace.ranks import Rank
from devlint.runtime.trace.thinning import ThinnedTrace

if TYPE_CHECKING:
    from devlint.runtime.places.executed import ExecutedLines
    from devlint.runtime.policy.settings import RunSettings
    from devlint.runtime.recording.recorder import Tally
    from devlint.runtime.recording.timeline import Timeline
    from devlint.runtime.session.session import Session
    from devlint.runtime.trace import TraceWriter


class ProgramWatch:
    """Observes a program from its import of torch until `end`.

    Only the program imports torch, so that environment variables that it sets before are effective. Nothing
    here raises. An internal error is reported once, on standard error, and the program continues.
    """

    def __init__(
        self,
        settings: RunSettings,
        trace: TraceWriter | None = None,
        executed: ExecutedLines | None = None,
        rank: Rank | None = None,
        timeline: Timeline | None = None,
    ) -> None:
        """`executed` records the lines that run; `rank` is that of this process, if it has one; `timeline`
        records when each event happened."""
        self.rank = rank
        self.timeline = timeline
        self.executed = executed
        self._settings = settings
        self._trace = trace
        self._events: ThinnedTrace | None = None
        self._session: Session | None = None
        self._import_hook = ImportHook("torch", self._start, self._step_aside)
        self._process = getpid()
        self._remarks: list[str] = []
        self._failed = False
        self.tallies: list[Tally] = []
        """The events, counted by place; known at the end."""
        self.began: float | None = None
        """The start of the timeline, in seconds of the Unix clock."""

    @property
    def in_this_process(self) -> bool:
        """False in a forked child of the program, which must not report again."""
        return getpid() == self._process

    def begin(self) -> None:
        """Observe as soon as torch has been imported."""
        self._try(self._import_hook.wait)
        self._try(self._follow_lines)

    def _follow_lines(self) -> None:
        if self.executed is not None:
            problem = self.executed.start()
            if self._trace is not None:
                self._trace.follow(self.executed)
            if problem:
                self._remarks.append(problem)

    def end(self) -> None:
        """Stop observing."""
        for step in (self._stop_waiting, self._stop, self._close_trace):
            self._try(step)

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # an internal error: the program has ended, and its exit code counts
            self._step_aside(error)

    def _stop_waiting(self) -> None:
        self._import_hook.stop()
        if self.executed is not None:
            self.executed.stop()
        if self._session is None and not self._remarks:
            self._remarks.append("the program did not import torch, so nothing was observed")

    def _close_trace(self) -> None:
        if self._trace is not None and self.in_this_process:
            if self._events is not None:
                self._events.write_rest()
            self._trace.close(self.remarks, self.doubt)
            if self._trace.problem:
                self._remarks.append(f"the trace is incomplete: {self._trace.problem}")

    def explain(self, error: BaseException) -> None:
        """Add a note to the error that ended the program, if the error is about devices."""
        try:
            if self._session is not None:
                self._explain(error, self._session)
        except Exception as own:
            self._step_aside(own)

    def _explain(self, error: BaseException, session: Session) -> None:
        from devlint.runtime.policy.levels import DisallowedError  # noqa: PLC0415  # without torch there is none

        session.explain(error)
        if session.failed_unwatched:
            self._remarks.append(
                "the error was raised in a step that was not observed; `--every 1` finds its cause"
            )
        if isinstance(error, DisallowedError):
            self._remarks.append("the program was stopped by a disallowed event, see its error")
        elif session.is_simulated_mismatch(error):
            self._remarks.append(
                "a mismatch ended the program; with `--mismatch log` it continues, so that one run finds all"
            )

    @property
    def failed(self) -> bool:
        """Whether devlint failed, so that the absence of findings means nothing."""
        return self._failed or (self._session is not None and self._session.failed)

    @property
    def remarks(self) -> list[str]:
        """What was not observed, one sentence each."""
        seen = [] if self._session is None else self._session.remarks
        return [*seen, *(remark for remark in self._remarks if remark not in seen)]

    @property
    def title(self) -> str:
        """Which of several processes this is; empty if it is the only one."""
        return "" if self.rank is None else str(self.rank)

    @property
    def doubt(self) -> str:
        """Why a report without findings does not mean that there is nothing to find; empty if it does."""
        if self._failed:
            return "The program was not observed, so nothing is known about it."
        return "" if self._session is None else self._session.doubt

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> LocatedSites:
        """The places in a report; see `devlint.rules.engine.Locator`."""
        places = Sites() if self._session is None else self._session.sites
        return places.locate(sites, edits)

    def _start(self) -> None:
        try:
            from devlint.runtime.session.session import Session  # noqa: PLC0415  # imports torch

            self._say_if_untested()
            self._session = session = Session(self._settings)
            if self._trace is not None:
                self._listen(session, self._trace)
            if self.timeline is not None:
                self._follow(session, self.timeline)
            session.start()
        except Exception as error:
            self._step_aside(error)
            self._stop()
        if current_thread() is not main_thread():
            self._remarks.append(
                "the main thread was not observed, because another thread imported torch first"
            )

    def _say_if_untested(self) -> None:
        """Warn about an untested release of torch, before anything that may fail with it."""
        untold = untested(sys.modules["torch"].__version__)
        if untold and sys.stderr is not None:
            sys.stderr.write(f"devlint: {visible(untold)}\n")

    def _stop(self) -> None:
        if self._session is not None:
            self._session.stop()
            self.tallies = self._session.tallies()
            if self._settings.simulate and any(_takes_time(tally.event) for tally in self.tallies):
                self._remarks.insert(0, "the devices were simulated, so no time was measured")

    def _listen(self, session: Session, trace: TraceWriter) -> None:
        from devlint.runtime.session.observation import shared  # noqa: PLC0415  # imports torch

        trace.attach(session.sites.site, shared().progress, _in_forward)
        session.sites.on_caller.append(trace.led)
        self._events = ThinnedTrace(trace)
        session.listeners.append(self._events.hear)
        session.adopters.append(self._events.adopt)

    def _follow(self, session: Session, timeline: Timeline) -> None:
        from devlint.runtime.session.observation import shared  # noqa: PLC0415  # imports torch

        progress = shared().progress
        self.began = progress.began

        def listen(event: Event, _: Tally) -> None:
            if isinstance(event, Synchronization | Transfer):
                size = event.bytes if isinstance(event, Transfer) else None
                timeline.add(event, progress.seconds, progress.steps, event.seconds, size)

        session.listeners.append(listen)

    def _step_aside(self, error: Exception) -> None:
        self._failed = True
        self._remarks.append(report_failure(error))


def has_torch() -> bool:
    """Whether a program could import torch. Does not import it."""
    return find_spec("torch") is not None


def torch_version() -> str | None:
    """The version of the torch that a program would import; None if it is not an installed package. Does not
    import it."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # only a trace needs it

    try:
        return version("torch")
    except PackageNotFoundError:
        return None


def _takes_time(event: Event) -> bool:
    return isinstance(event, Synchronization | Transfer)


def _in_forward() -> bool:
    """Whether the forward of a module is on the stack of the caller."""
    from torch.nn import Module  # noqa: PLC0415  # it is there when this is called

    calling = Module._call_impl.__code__
    frame = _getframe(1)
    while frame is not None and frame.f_code is not calling:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None
