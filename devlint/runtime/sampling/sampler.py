"""Turns the observer off between sampled steps, and estimates the counts of all steps.

A step ends with a step of an optimizer, or with a batch of a data loader if no optimizer has stepped since
the previous batch. A program without both is observed throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.process import BaseProcess
from threading import get_ident
from typing import Any

from devlint.instrumentation.hooks import Leave, entered, hooked
from devlint.instrumentation.mode_stack import put_back, take_out
from devlint.model import Event, SiteId, Synchronization
from devlint.runtime.interception.interceptions import Interceptions
from devlint.runtime.observer import Observer
from devlint.runtime.places.sites import Sites
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder, Tally
from devlint.runtime.sampling.schedule import Schedule
from devlint.runtime.sampling.visits import Visit, Visits


class Sampler:
    """Turns a thread's observer on in some steps only, from `start` to `stop`.

    `entered_here` returns whether the calling thread has an observer of its own, which stays on.
    """

    def __init__(
        self,
        observer: Observer,
        recorder: Recorder,
        progress: Progress,
        sites: Sites,
        every: int,
        entered_here: Callable[[], bool],
    ) -> None:
        self._observer = observer
        self._recorder = recorder
        self._progress = progress
        self._sites = sites
        self._entered_here = entered_here
        self._schedule = Schedule(every)
        self._visits = Visits(observer, progress, self._change)
        self._thread = get_ident()
        self._beneath: list[Any] = []
        """The modes below the observer when it was turned off."""
        self._held = 0
        """How many guards need every step to be observed."""

    def start(self, interceptions: Interceptions) -> None:
        """Start sampling, until `stop`. Patches are undone with the interceptions."""
        patches = interceptions.retractable
        self._visits.patch(patches, interceptions.failed)
        interceptions.on_call = self._visits.note
        patches.wrap(BaseProcess, "start", hooked(self._watched, interceptions.failed))
        self._recorder.weight = self._weight
        self._recorder.on_new = self._change
        self._progress.on_step = self._end_step
        self._progress.on_epoch = self._change

    def stop(self) -> None:
        """Observe all steps again."""
        self._wake()
        self._visits.counts = False
        self._progress.on_step = self._progress.on_epoch = None
        self._recorder.on_new = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Observe every step in a block."""
        self._held += 1
        self._change()
        try:
            yield
        finally:
            self._held -= 1

    @property
    def remark(self) -> str:
        """A remark on how many steps were observed; empty if all were."""
        steps, watched = self._schedule.steps, self._schedule.watched
        if steps == watched:
            return ""
        return (
            f"{watched:,} of {steps:,} steps were observed; numbers with `about` are estimated from them;"
            " `--every 1` observes all"
        )

    def estimate(self) -> Callable[[Tally], Tally]:
        """The function from the tally of some steps to the estimate for all."""
        visits: dict[SiteId, list[Visit]] = {}
        for visit in self._visits:
            site = self._sites.number(visit.code, visit.instruction)
            if site is not None:
                visits.setdefault(site, []).append(visit)
        ratio = self._schedule.ratio
        return lambda tally: _estimated(tally, _of(tally.event, visits.get(tally.event.site, [])), ratio)

    def _weight(self) -> int:
        """How many steps an event of this thread stands for. A thread with its own observer observes all
        steps."""
        sees_all = get_ident() != self._thread and self._entered_here()
        return 0 if sees_all else self._schedule.weight

    def _end_step(self) -> None:
        if get_ident() != self._thread:
            return
        self._schedule.end_step()
        if self._schedule.watches or self._held:
            self._wake()
        elif not self._observer.rests:
            self._rest()

    def _change(self) -> None:
        self._schedule.change()
        if get_ident() == self._thread:
            self._wake()

    def _rest(self) -> None:
        beneath = take_out(self._observer)
        if beneath is None:  # it is already off, as inside compiled code, and returns afterwards
            self._schedule.change()
        else:
            self._beneath = beneath
            self._progress.rests = self._observer.rests = True

    def _wake(self) -> None:
        if self._observer.rests:
            self._progress.rests = self._observer.rests = False
            put_back(self._observer, self._beneath)

    def _watched(self, _: BaseProcess) -> Leave | None:
        """Start a process with the observer on, because a forked process inherits the modes."""
        return entered(self.held()) if self._visits.counts else None


def _of(event: Event, here: Sequence[Visit]) -> Sequence[Visit]:
    """The visits of an event's place with the same operator; all visits if no operator is known."""
    again = isinstance(event, Synchronization) and event.waited_already
    operator = getattr(event, "operator", "")
    alike = [visit for visit in here if visit.operator == operator and visit.again == again]
    return alike or here


def _estimated(tally: Tally, visits: Sequence[Visit], ratio: float) -> Tally:
    """The estimated tally: from the visits of its place if known, else from weights, corrected by `ratio`."""
    watched = sum(visit.watched for visit in visits)
    if not watched:
        return _scaled(tally, round(tally.unseen * ratio))
    passed = sum(visit.total for visit in visits)
    tally = replace(
        tally,
        in_steps=max(visit.in_steps for visit in visits),
        in_batches=max(visit.in_batches for visit in visits),
        first=min(visit.first for visit in visits),
        last=max(visit.last for visit in visits),
    )
    return _scaled(tally, round(tally.sampled * (passed - watched) / watched))


def _scaled(tally: Tally, unseen: int) -> Tally:
    """The tally with so many more events, each with the average of the observed ones."""
    if not unseen or not tally.sampled:
        return tally
    factor = (tally.count + unseen) / tally.count
    return replace(
        tally,
        count=tally.count + unseen,
        seconds=None if tally.seconds is None else tally.seconds * factor,
        bytes=None if tally.bytes is None else round(tally.bytes * factor),
        estimated=True,
    )
