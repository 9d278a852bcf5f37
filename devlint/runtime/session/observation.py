"""The observer of a process: installed for the first guard, removed after the last one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from threading import RLock
from typing import Any, Protocol

import torch

from devlint.instrumentation.hooks import report_failure
from devlint.instrumentation.patches import Patches
from devlint.runtime.cuda import hidden
from devlint.runtime.explain import text_of
from devlint.runtime.explain.failures import Failures
from devlint.runtime.interception.child_task import ChildTask
from devlint.runtime.interception.interceptions import Interceptions
from devlint.runtime.interception.reporting import reporting
from devlint.runtime.observer import Observer
from devlint.runtime.observer.functions import name_of
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.active_guards import current
from devlint.runtime.policy.levels import DisallowedError, Level
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder
from devlint.runtime.recording.remarks import Remarks
from devlint.runtime.sampling import Sampler
from devlint.simulation import Simulation
from devlint.simulation.simulation import Beginning


class Lifting(Beginning, Protocol):
    """Lifts the tensors of some code to simulated devices, and recognizes mismatches that only the lifting
    causes."""

    def excuses(self, error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any], /) -> bool:
        """Whether guards ignore a mismatch."""


class ProcessObserver:
    """The state that a process has once: places, progress, the mode, and the interceptions."""

    def __init__(self) -> None:
        self.sites = Sites()
        self.progress = Progress()
        self.progress.on_failure = self._failed
        self.failed = False
        """Whether devlint failed, and observes nothing any more."""
        self._refused: str | None = None
        """The text of the last mismatch of simulated devices that was raised. (The error itself would keep
        the operands alive.)"""
        self._is_unexplained = False
        """Whether devlint has failed to explain an error."""
        self._remarks = Remarks()
        self._failures = Failures(self.sites, self._unexplained)
        self.observer = Observer(
            self.sites, self.progress, self._failures.explain, self._failed, measures=_has_device()
        )
        self._interceptions = Interceptions(
            self.observer,
            self.sites,
            self.progress,
            self._remarks,
            self.in_this_thread,
            self._failed,
            in_spawned,
        )
        self.sampler: Sampler | None = None
        """Turns the observer on in some steps only; None if it is on in all."""
        self._patches = Patches()
        self._threads = threading.local()
        self._holders = 0
        self._lock = RLock()

    @property
    def remarks(self) -> list[str]:
        """What was not observed, and why; for the end of the report."""
        return [*self._remarks.texts(), *self._interceptions.unreported()]

    @property
    def explained(self) -> int:
        """How many errors got a note so far."""
        return self._failures.explained

    def collect(self) -> None:
        """Add the reports of child processes so far."""
        self._interceptions.collect()

    def hold(self) -> None:
        """Install the observer, until `release`."""
        with self._lock:
            if not self._holders:
                self._put_in_place()
            self._holders += 1

    def release(self) -> None:
        """Remove the observer, unless there is another holder."""
        with self._lock:
            self._holders -= 1
            if not self._holders:
                self._patches.undo()

    @contextmanager
    def in_this_thread(self) -> Iterator[None]:
        """Observe the calls of this thread. Nested use has no effect."""
        depth = self._depth_here
        self._threads.depth = depth + 1
        try:
            if depth:
                with nullcontext() if self.sampler is None else self.sampler.held():
                    yield
            else:
                with self.observer:
                    yield
        finally:
            self._threads.depth = depth

    def sample(self, recorder: Recorder, every: int) -> Sampler:
        """Observe the calls of this thread in some steps only; the observer must be installed.

        Call `end_sampling` before leaving this thread's observer.
        """
        self.sampler = Sampler(
            self.observer, recorder, self.progress, self.sites, every, lambda: self._depth_here > 0
        )
        self.sampler.start(self._interceptions)
        return self.sampler

    def end_sampling(self) -> None:
        """Observe all steps again."""
        if self.sampler is not None:
            self.sampler.stop()
            self.sampler = None

    @property
    def _depth_here(self) -> int:
        depth: int = getattr(self._threads, "depth", 0)
        return depth

    def explain(self, error: BaseException) -> None:
        """Add a note, derived from text and place, to an error that no call has explained."""
        self._failures.explain_uncaught(error)

    def is_simulated_mismatch(self, error: BaseException) -> bool:
        """Whether the error is a mismatch of simulated devices, after which a program could continue."""
        return self._refused is not None and text_of(error) == self._refused

    def simulation(self, type_: str, devices: int, lift: Lifting | None = None) -> Simulation:
        """Simulated devices, whose mismatches and hidden waits the guards observe, except mismatches that
        `lift` excuses.

        Raises: ValueError: if there is no such simulated device, or so many cannot be simulated. TypeError:
        if `devices` is not an integer.
        """

        def goes_on(
            error: Exception,
            function: Callable[..., Any],
            args: Sequence[Any],
            kwargs: Mapping[str, Any],
        ) -> bool:
            excused = lift is not None and lift.excuses(error, args, kwargs)
            return excused or self._goes_on(error, function, args, kwargs)

        return Simulation(
            type_,
            devices,
            on_mismatch=goes_on,
            on_hidden_read=self._hidden_wait,
            on_failure=self._failed,
            before=lift,
        )

    def _goes_on(
        self,
        error: Exception,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> bool:
        """Called by the simulation before it raises an error; returns whether the program continues instead.

        A permitted mismatch is counted as well, except at level `allow`.
        """
        guards = current()
        level = guards[-1].levels.mismatch if guards else None
        if level is Level.LOG:
            self._failures.explain(error, function, args, kwargs)
        goes_on = level in (Level.LOG, Level.ALLOW)
        if not goes_on:
            self._refused = text_of(error)
        return goes_on

    def _hidden_wait(self, kernel: str, function: Callable[..., Any] | None, device: torch.device) -> None:
        """Called by the simulation for a kernel that would make the host wait, with the function that runs
        it.

        Raises: DisallowedError: if a guard does not allow it.
        """
        try:
            self.observer.hidden_wait(name_of(function) or kernel, device)
        except DisallowedError:
            raise
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)

    def _put_in_place(self) -> None:
        try:
            self.progress.watch(self._patches)
            self._interceptions.close(self._patches)
            if _has_device():
                hidden.listen(self._patches, self._failed)
        except Exception as error:  # an internal error, as with a torch that lacks a patched function
            self._patches.undo()
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Report an internal error once, and stop observing.

        A stack that the program has used up does not count as a failure of devlint.
        """
        if isinstance(error, RecursionError):
            self._remarks.say("calls near the recursion limit were not observed")
            return
        self.observer.step_aside()
        # What compilers look at is torch's own again, however far a change of it has come.
        with suppress(Exception):
            self._interceptions.retractable.undo()
        if not self.failed:
            self.failed = True
            self._remarks.say(report_failure(error))

    def _unexplained(self, error: Exception) -> None:
        """devlint failed to explain an error of the program's, which goes its way: say so once."""
        if isinstance(error, RecursionError):
            self._failed(error)
        elif not self._is_unexplained:
            self._is_unexplained = True
            self._remarks.say(report_failure(error, "devlint failed to explain an error about devices"))


def _has_device() -> bool:
    """Whether there is a real device. (A simulation replaces torch's functions.)"""
    return torch.cuda.is_available.__module__ == torch.cuda.__name__ and torch.cuda.is_available()


_shared: list[ProcessObserver] = []


def shared() -> ProcessObserver:
    """The observer of this process."""
    if not _shared:
        _shared.append(ProcessObserver())
    return _shared[0]


@contextmanager
def in_spawned(task: ChildTask) -> Iterator[None]:
    """Observe a spawned process while it runs its task."""
    observation, settings = shared(), task.settings
    observation.sites.own = settings.own
    with ExitStack() as stack:
        stack.enter_context(reporting(task, observation.sites, observation.progress))
        if settings.simulate:
            stack.enter_context(observation.simulation(settings.simulate, settings.devices))
        observation.hold()
        stack.callback(observation.release)
        stack.enter_context(observation.in_this_thread())
        yield
