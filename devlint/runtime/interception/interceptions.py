"""All interceptions, which are installed and removed with the observer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from sys import _getframe
from types import FrameType

from devlint.instrumentation import tracebacks
from devlint.instrumentation.fast_path import patch_fast_path
from devlint.instrumentation.patches import Patches
from devlint.instrumentation.torch_warnings import patch_warnings
from devlint.runtime.interception import backward, compiled, loading, subprocesses, threads, wrapping
from devlint.runtime.interception.child_processes import Processes
from devlint.runtime.interception.child_task import Observe
from devlint.runtime.interception.retractable import Retractable
from devlint.runtime.observer import Observer, observer_here
from devlint.runtime.observer.backward import BackwardObserver
from devlint.runtime.places.frames import user_frame
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.active_guards import adopted, current, here
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.remarks import Remarks

InThisThread = Callable[[], AbstractContextManager[None]]
"""Turns the observer on in the calling thread."""


class Interceptions:
    """Lets the observer get what no function mode gets."""

    def __init__(
        self,
        observer: Observer,
        sites: Sites,
        progress: Progress,
        remarks: Remarks,
        in_this_thread: InThisThread,
        failed: Callable[[Exception], None],
        in_spawned: Observe,
    ) -> None:
        self._observer = observer
        self._sites = sites
        self._remarks = remarks
        self._in_this_thread = in_this_thread
        self.failed = failed
        self.retractable = Retractable()
        """The patches that are undone for the compiler."""
        self.on_call: Callable[[FrameType], None] | None = None
        """Called with each frame that is about to call a function that no mode gets."""
        self._processes = Processes(sites, progress, remarks, in_spawned, failed)

    def close(self, patches: Patches) -> None:
        """Install all interceptions, until the patches are undone."""
        backward.patch(patches, self._in_backward, self.failed)
        threads.patch(patches, self._as_here, self.failed)
        self._processes.patch(patches)
        subprocesses.patch(patches, self._processes.send, self.failed)
        self.retractable = retractable = Retractable()
        patches.later(retractable.undo)
        compiled.patch(patches, retractable, self._remarks, self.failed)
        wrapping.patch(retractable, self._here)
        loading.patch(retractable, self._sites, observer_here, self.failed)
        patch_fast_path(retractable)
        tracebacks.patch(patches)
        patch_warnings(patches)

    def _here(self) -> Observer | None:
        """The observer for the caller of the intercepted function."""
        try:
            if self.on_call is not None:
                self.on_call(_getframe(2))
            return observer_here()
        except Exception as error:  # devlint's own: the program must not notice
            self.failed(error)
            return None

    def collect(self) -> None:
        """Read the reports of child processes so far."""
        self._processes.collect()

    def unreported(self) -> list[str]:
        """The gaps in the reports of child processes, one sentence each."""
        self._processes.collect()
        return [*self._incomplete(), *self._not_taken_up()]

    def _not_taken_up(self) -> Iterator[str]:
        unseen = self._processes.unseen
        if unseen:
            programs, were = ("program", "was") if unseen == 1 else ("programs", "were")
            yield f"{unseen} Python {programs} that {were} started by `subprocess` {were} not observed"

    def _incomplete(self) -> Iterator[str]:
        missing = self._processes.missing
        if not missing:
            return
        reports, were = ("report", "it was") if missing == 1 else ("reports", "they were")
        yield f"{missing} {reports} of child processes are incomplete: {were} killed or still running"

    def _as_here(self) -> threads.Entry | None:
        """How to observe another thread for the guards of this place; None if there are none."""
        if not current():
            return None
        guards = here()

        @contextmanager
        def entry() -> Iterator[None]:
            with adopted(guards), self._in_this_thread():
                yield

        return entry

    def _in_backward(self) -> AbstractContextManager[object]:
        """The observation of a backward pass that starts here."""
        if self._observer.rests or not current() or observer_here() is not None:
            return nullcontext()
        return BackwardObserver(self._observer, here(), self._sites.at(user_frame()))
