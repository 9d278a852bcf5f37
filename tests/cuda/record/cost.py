"""What observing costs on a real device, side by side with what others put around a program."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeAlias

import torch
from torch.profiler import ProfilerActivity, profile

from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.recording.findings import findings
from tests.benchmarks.run_cost import IdleDispatchMode
from tests.cuda.record import waits, works
from tests.cuda.record.ground import Ground
from tests.cuda.record.observed import HIDDEN, PLAIN, Observed
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part
from tests.cuda.record.works import FULL, TINY, WORKS, Scale, Work

Around: TypeAlias = Callable[[], AbstractContextManager[Any]]
_SECONDS = 1.2
"""How long one work is timed, with and without."""
_ROUND = 0.06
"""Seconds of a round, at least: what happens once a round shall not matter."""
_FEWEST = 5
_STEPS = 12
_WAITING = re.compile("Synchronize|Memcpy")
"""The calls of CUDA in which the host waits: copies from and to pageable memory do, too."""


@contextmanager
def _sync_debug_mode() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")


def _timed(around: Around, name: str) -> list[Fields]:
    """Milliseconds a step bare and inside, and the ratio: medians over rounds of both."""
    torch.manual_seed(0)
    work = WORKS[name](FULL)
    for _ in range(3):
        work()
    times = max(1, round(_ROUND / _seconds(work, 3)))
    with around():
        work()
    bare: list[float] = []
    inside: list[float] = []
    started = perf_counter()
    while len(bare) < _FEWEST or perf_counter() - started < _SECONDS:
        bare.append(_seconds(work, times))
        with around():
            work()  # entering is not what is measured
            inside.append(_seconds(work, times))
    ratios = [one / other for one, other in zip(inside, bare, strict=True)]
    measured = (median(bare) * 1e3, median(inside) * 1e3, median(ratios))
    return [(*(f"{value:.3f}" for value in measured), str(len(bare)), "")]


def _seconds(work: Work, times: int) -> float:
    """Seconds that one of so many takes, the device's work included."""
    torch.cuda.synchronize()
    started = perf_counter()
    for _ in range(times):
        work()
    torch.cuda.synchronize()
    return (perf_counter() - started) / times


def _found(settings: RunSettings, scale: Scale, source: str, name: str) -> list[Fields]:
    """What devlint reports of a work: code, line, times, seconds waited."""
    with Observed(settings, source) as session:
        work = WORKS[name](scale)
        for _ in range(_STEPS):
            work()
        torch.cuda.synchronize()
        found = findings(session.tallies(), session.sites)
    listed = [
        [each.code, each.site.line, each.observed.count, each.observed.seconds]
        for each in found
        if each.observed and Path(each.site.path).name == Path(works.__file__).name
    ]
    return [("", "", "", "", json.dumps(listed))]


def _waited(name: str) -> list[Fields]:
    """Milliseconds a step that the host waits: as devlint says, and as the profiler's calls of CUDA add up.

    Medians over rounds of both, after steps that warm the device up.
    """
    torch.manual_seed(0)
    work = WORKS[name](FULL)

    def steps() -> None:
        for _ in range(_STEPS):
            work()

    steps()
    said: list[float] = []
    profiled: list[float] = []
    for _ in range(_FEWEST):
        torch.cuda.synchronize()
        with Observed(RunSettings()) as session:
            steps()
            found = findings(session.tallies(), session.sites)
        said.append(sum(each.observed.seconds or 0.0 for each in found if each.observed) * 1e3 / _STEPS)
        calls = waits.profiled(steps)
        profiled.append(sum(calls[call] for call in calls if _WAITING.search(call)) / 1e3 / _STEPS)
    both = (median(profiled), median(said), median(said) / median(profiled) if any(profiled) else 1.0)
    return [(*(f"{value:.3f}" for value in both), str(_FEWEST), "")]


def _rehearsed(name: str) -> list[Fields]:
    """Tiny works on simulated devices: what is found, and no times, which would say nothing of CUDA."""
    return _found(RunSettings(simulate="cuda"), TINY, "", name)


def _profiler() -> AbstractContextManager[Any]:
    return profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])


CONTENDERS: dict[str, Around] = {
    PLAIN: partial(Observed, RunSettings()),
    "bare": nullcontext,
    **{name: partial(Observed, RunSettings(), source) for name, source in HIDDEN.items()},
    "sync debug mode": _sync_debug_mode,
    "idle dispatch mode": IdleDispatchMode,
    "torch profiler": _profiler,
}
WAITING_TIMES = "waiting times"
_OTHERS = (*HIDDEN, "sync debug mode", "idle dispatch mode", "torch profiler")


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    """All works; of those that wait, what others than devlint cost says nothing more."""
    if observer.name == WAITING_TIMES:
        return [name for name in WORKS if name == "training step that waits"]
    all_works = observer.name not in _OTHERS
    return [name for name in WORKS if all_works or "waits" not in name]


PART = Part(
    name="cost",
    shows="milliseconds a step, bare and with something around it, and what devlint finds in it",
    columns=("ms bare", "ms with it", "ratio", "rounds", "findings: code, line, times, seconds waited"),
    subjects=_subjects,
    observers=(
        *(
            Observer(name, partial(_timed, around), (Ground.CUDA,), timed=True)
            for name, around in CONTENDERS.items()
        ),
        Observer(WAITING_TIMES, _waited, (Ground.CUDA,), timed=True),
        Observer("findings of devlint run", partial(_found, RunSettings(), FULL), (Ground.CUDA,), timed=True),
        Observer("simulated", _rehearsed, SIMULATED, workers=4, patience=120),
    ),
    seconds=120,
)
