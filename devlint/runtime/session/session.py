"""A session: the observation of a whole run, for `devlint run` and the pytest plugin."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from devlint.instrumentation.eager import run_eagerly
from devlint.instrumentation.patches import Patches
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy import active_guards
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.recording.recorder import Listener, Recorder, Tally
from devlint.runtime.sampling import Sampler
from devlint.runtime.session.observation import Lifting, ProcessObserver, shared


class Session:
    """Observes a program from `start` to `stop`, in all its threads. `lift` is for simulated devices."""

    def __init__(self, settings: RunSettings | None = None, lift: Lifting | None = None) -> None:
        self._lift = lift
        self.settings = settings or RunSettings()
        self._observation: ProcessObserver = shared()
        self.recorder = Recorder(self._observation.progress, self.settings.warmup)
        self._explained_before = self._observation.explained
        self._sampler: Sampler | None = None
        self.failed_unwatched = False
        """Whether an error about devices ended the program in a step that was not observed."""
        self._patches = Patches()
        self._stack = ExitStack()

    @property
    def sites(self) -> Sites:
        """The places of the tallies."""
        return self._observation.sites

    @property
    def failed(self) -> bool:
        """Whether devlint failed, so that the absence of findings means nothing."""
        return self._observation.failed

    @property
    def remarks(self) -> list[str]:
        """What was not observed, one sentence each."""
        sampled = "" if self._sampler is None else self._sampler.remark
        return [*self._observation.remarks, *([sampled] if sampled else [])]

    @property
    def doubt(self) -> str:
        """Why a report without findings does not mean that there is nothing to find; empty if it does."""
        if self.failed:
            return "Nothing was observed after devlint failed."
        if self.recorder.refused:
            return "No findings, except the event that was stopped at its line."
        if self._observation.explained > self._explained_before:
            return "No findings, except the errors that are explained where they were raised."
        return ""

    @property
    def listeners(self) -> list[Listener]:
        """Called with each event when it is observed."""
        return self.recorder.listeners

    @property
    def adopters(self) -> list[Callable[[Tally], None]]:
        """Called with each tally that a child process reports."""
        return self.recorder.adopters

    def tallies(self) -> list[Tally]:
        """The events so far, counted by place."""
        self._observation.collect()
        if self._sampler is None:
            return self.recorder.tallies()
        return self.recorder.tallies(self._sampler.estimate())

    def explain(self, error: BaseException) -> None:
        """Add a note to an error about devices that has none, because no call of torch raised it."""
        before = self._observation.explained
        self._observation.explain(error)
        self.failed_unwatched = self._observation.observer.rests and self._observation.explained > before

    def is_simulated_mismatch(self, error: BaseException) -> bool:
        """Whether the error is a mismatch of simulated devices, after which a program could continue."""
        return self._observation.is_simulated_mismatch(error)

    def start(self) -> None:
        """Observe from now on.

        Raises: ValueError: if there is no such simulated device.
        """
        observation = self._observation
        observation.sites.own = self.settings.own
        if self.settings.simulate:
            simulation = observation.simulation(self.settings.simulate, self.settings.devices, self._lift)
            self._stack.enter_context(simulation)
        observation.hold()
        self._stack.callback(observation.release)
        if not self.settings.compiles:
            run_eagerly(self._patches)
            self._stack.callback(self._patches.undo)
        if self.settings.everywhere:
            guard = active_guards.enter_everywhere(self.settings.levels, self.recorder)
            self._stack.callback(active_guards.leave_everywhere, guard)
        else:
            self._stack.callback(
                active_guards.leave, active_guards.enter(self.settings.levels, self.recorder)
            )
        self._stack.enter_context(observation.in_this_thread())
        if self.settings.every > 1 and not observation.failed:
            self._sampler = observation.sample(self.recorder, self.settings.every)
            self._stack.callback(observation.end_sampling)

    def stop(self) -> None:
        """Stop observing, and restore everything."""
        self._stack.close()
