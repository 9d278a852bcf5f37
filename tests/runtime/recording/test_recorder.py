"""Counting what recurs, by place."""

from __future__ import annotations

import pytest

from devlint.model import (
    CPU,
    Cause,
    Concrete,
    Confidence,
    Event,
    HotPath,
    Kind,
    Operand,
    SiteId,
    Synchronization,
    Transfer,
)
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import RECURRING, Recorder, Tally, Warmup

WAIT = Synchronization(SiteId(0), None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, None)


def see(recorder: Recorder, times: int = 1, key: str = "a", **measured: float) -> None:
    for _ in range(times):
        recorder.count(key, lambda: WAIT, **measured)  # type: ignore[arg-type]


def hot(recorder: Recorder) -> HotPath | None:
    (tally,) = recorder.tallies()
    return tally.event.hot


def test_what_recurs_is_one_tally() -> None:
    recorder = Recorder(Progress())
    see(recorder, 3, seconds=0.5)
    see(recorder, 1, key="b")
    assert [(tally.count, tally.seconds) for tally in recorder.tallies()] == [(3, 1.5), (1, None)]


def test_what_comes_with_every_step_is_the_training_loop() -> None:
    progress = Progress()
    recorder = Recorder(progress)
    for _ in range(20):
        see(recorder)
        progress.steps += 1
    assert hot(recorder) is HotPath.TRAINING_LOOP


def test_what_comes_now_and_then_is_logging() -> None:
    progress = Progress()
    recorder = Recorder(progress)
    for step in range(200):
        if step % 50 == 0:
            see(recorder)
        progress.steps += 1
    assert hot(recorder) is None


def test_what_comes_with_every_batch_is_the_loader_s_loop() -> None:
    progress = Progress()
    recorder = Recorder(progress)
    for _ in range(3):
        progress.batches += 1
        see(recorder)
    assert hot(recorder) is HotPath.LOADER_LOOP


@pytest.mark.parametrize(("times", "expected"), [(RECURRING - 1, None), (RECURRING, HotPath.RECURRING)])
def test_what_comes_often_is_hot_without_any_loop_that_is_known(times: int, expected: HotPath | None) -> None:
    recorder = Recorder(Progress())
    see(recorder, times)
    assert hot(recorder) is expected


def test_one_move_of_a_module_is_as_many_events_as_it_has_parameters() -> None:
    module = Operand("model", SiteId(0), CPU, Kind.MODULE)
    copy = Transfer(SiteId(0), None, Confidence.SEEN, "torch.nn.Module.cpu", module, Concrete("cuda", 0), CPU)
    recorder = Recorder(Progress())
    for _ in range(RECURRING):
        recorder.count("a", lambda: copy)
    assert hot(recorder) is None


def test_the_first_occurrences_at_a_place_are_warm_up() -> None:
    recorder = Recorder(Progress(), Warmup(occurrences=2))
    assert [recorder.warming_up("place") for _ in range(4)] == [True, True, False, False]
    assert recorder.warming_up("elsewhere")


def test_the_first_steps_are_warm_up() -> None:
    progress = Progress()
    recorder = Recorder(progress, Warmup(steps=1))
    assert recorder.warming_up("place")
    progress.steps = 1
    assert not recorder.warming_up("place")


def test_listeners_hear_each_event() -> None:
    recorder = Recorder(Progress())
    heard: list[Event] = []
    recorder.listeners.append(lambda event, _: heard.append(event))
    see(recorder, 3)
    assert heard == [WAIT] * 3


def test_counts_from_elsewhere_are_added() -> None:
    recorder = Recorder(Progress())
    see(recorder, 2, size=10)
    recorder.add("a", Tally(WAIT, count=5, bytes=1, seconds=2.0))
    recorder.add("new", Tally(WAIT, count=1))
    first, second = recorder.tallies()
    assert (first.count, first.bytes, first.seconds, second.count) == (7, 21, 2.0, 1)


def test_counting_may_be_interrupted_by_what_counts() -> None:
    """A signal handler of the program, or a finalizer, reads a tensor while another read is being counted."""

    class Interrupted:
        def __hash__(self) -> int:
            see(recorder, 1)
            return 7

    recorder = Recorder(Progress())
    recorder.count(Interrupted(), lambda: WAIT)
    assert len(recorder.tallies()) == 2
