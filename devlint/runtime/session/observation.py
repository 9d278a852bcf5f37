"""The observer at work in a process: put into place for the first guard, taken away after the last."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from threading import Lock
from typing import Any, Protocol

import torch

from devlint.instrumentation.patches import Patches
from devlint.model.visible import visible
from devlint.runtime.cuda import hidden
from devlint.runtime.explain import text_of
from devlint.runtime.explain.failures import Failures
from devlint.runtime.interception.child_task import ChildTask
from devlint.runtime.interception.interceptions import Interceptions
from devlint.runtime.interception.reporting import reporting
from devlint.runtime.observer import Observer
from devlint.runtime.observer.functions import name_of
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.levels import Level
from devlint.runtime.policy.watches import current
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder
from devlint.runtime.recording.remarks import Remarks
from devlint.runtime.sampling import Sampler
from devlint.simulation import Simulation
from devlint.simulation.simulation import Beginning


class Lifting(Beginning, Protocol):
    """What puts the tensors of some code on simulated devices, and answers for what comes of that."""

    def excuses(self, error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any], /) -> bool:
        """Whether a mismatch is none of those that guards are about."""


class ProcessObserver:
    """Everything that a process has once: places, progress, the mode, and the interceptions."""

    def __init__(self) -> None:
        self.sites = Sites()
        self.progress = Progress()
        self.progress.on_failure = self._failed
        self.failed = False
        """Whether devlint itself has failed, and looks at nothing any more."""
        self._refused: str | None = None
        """The text of the last mismatch of simulated devices that was raised. The error has the operands."""
        self._remarks = Remarks()
        self._failures = Failures(self.sites, self._failed)
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
        """What has the observer on in some steps only; None where it is on in all."""
        self._patches = Patches()
        self._threads = threading.local()
        self._holders = 0
        self._lock = Lock()

    @property
    def remarks(self) -> list[str]:
        """What was not seen, and why; for the end of the report."""
        return [*self._remarks.texts(), *self._interceptions.unreported()]

    @property
    def explained(self) -> int:
        """How many errors were given a note so far."""
        return self._failures.explained

    def collect(self) -> None:
        """Take in what child processes have reported so far."""
        self._interceptions.collect()

    def hold(self) -> None:
        """Keep the observer in place until `release`."""
        with self._lock:
            if not self._holders:
                self._put_in_place()
            self._holders += 1

    def release(self) -> None:
        """Take the observer away if nobody else holds it."""
        with self._lock:
            self._holders -= 1
            if not self._holders:
                self._patches.undo()

    @contextmanager
    def in_this_thread(self) -> Iterator[None]:
        """Observe what this thread calls. Within itself it does nothing."""
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
        """Observe what this thread calls in some steps only; the observer is in place.

        `end_sampling` is to be called before this thread's observer is left.
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
        """Add to an error what its text and its place tell, if no call has explained it."""
        self._failures.explain_uncaught(error)

    def is_simulated_mismatch(self, error: BaseException) -> bool:
        """Whether simulated devices raised an error where a program could be let go on."""
        return self._refused is not None and text_of(error) == self._refused

    def simulation(self, type_: str, devices: int, lift: Lifting | None = None) -> Simulation:
        """Simulated devices whose mismatches and hidden waits the guards hear of, but for the mismatches that
        `lift` excuses.

        Raises:
            ValueError: there is no such simulated device, or so many cannot be simulated.
            TypeError: `devices` is no whole number.
        """

        def goes_on(
            error: Exception,
            function: Callable[..., Any],
            args: Sequence[Any],
            kwargs: Mapping[str, Any],
        ) -> bool:
            excused = lift is not None and lift.excuses(error, args, kwargs)
            return excused or self._goes_on(error, function, args, kwargs)

        return Simulation(type_, devices, on_mismatch=goes_on, on_hidden_read=self._hidden_wait, before=lift)

    def _goes_on(
        self,
        error: Exception,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> bool:
        """Told by the simulation of an error that it is about to raise; whether the program is to go on.

        What a guard lets pass is counted all the same, unless it is at `allow`.
        """
        watches = current()
        level = watches[-1].levels.mismatch if watches else None
        if level is Level.LOG:
            self._failures.explain(error, function, args, kwargs)
        goes_on = level in (Level.LOG, Level.ALLOW)
        if not goes_on:
            self._refused = text_of(error)
        return goes_on

    def _hidden_wait(self, kernel: str, function: Callable[..., Any] | None, device: torch.device) -> None:
        """Told by the simulation of a kernel for which the host would wait, and of the function around it.

        Raises:
            DisallowedError: a guard does not allow it.
        """
        self.observer.hidden_wait(name_of(function) or kernel, device)

    def _put_in_place(self) -> None:
        try:
            self.progress.watch(self._patches)
            self._interceptions.close(self._patches)
            if _has_device():
                hidden.listen(self._patches, self._failed)
        except Exception as error:  # devlint's own, as with a torch that lacks what it takes the place of
            self._patches.undo()
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """devlint itself failed: say so once, and look at nothing any more.

        Where the program has used up the stack, there is none left for devlint: that is no failure.
        """
        if isinstance(error, RecursionError):
            self._remarks.say("calls near the limit of recursion were not looked at")
            return
        self.failed = True
        self.observer.step_aside()
        reason = f"{type(error).__name__}: {error}"
        message = f"devlint failed and stepped aside; the program goes on unobserved ({reason})"
        if message not in self.remarks:
            self._remarks.say(message)
            with suppress(Exception):  # the program may have closed it
                sys.stderr.write(f"{visible(message)}\n")


def _has_device() -> bool:
    """Whether there is a real device to wait for. A simulation puts functions of its own in torch's place."""
    return torch.cuda.is_available.__module__ == torch.cuda.__name__ and torch.cuda.is_available()


_shared: list[ProcessObserver] = []


def shared() -> ProcessObserver:
    """The process's observation."""
    if not _shared:
        _shared.append(ProcessObserver())
    return _shared[0]


@contextmanager
def in_spawned(task: ChildTask) -> Iterator[None]:
    """Observe a process that was spawned, in which there is nothing yet but its task."""
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
