"""Tests of traces of many events: few lines, and all counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.model import Event, SiteId
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Recorder, Tally
from devlint.runtime.recording.timeline import Timeline
from devlint.runtime.trace import TraceWriter, read_trace
from devlint.runtime.trace.thinning import ThinnedTrace
from tests.runtime.trace.test_trace import COPY, WAIT, place


class Run:
    """A run that writes a trace."""

    def __init__(self, path: Path) -> None:
        self.progress = Progress()
        self.recorder = Recorder(self.progress)
        self.writer = TraceWriter(path, "2.13.0")
        self.writer.attach(place, self.progress, lambda: False)
        self.trace = ThinnedTrace(self.writer)
        self.recorder.listeners.append(self.trace.hear)
        self.recorder.adopters.append(self.trace.adopt)

    def wait(self, site: int = 1) -> None:
        self.recorder.count(("wait", site), lambda: replace(WAIT, site=SiteId(site)), seconds=0.25)

    def copy(self, size: int) -> None:
        self.recorder.count("copy", lambda: replace(COPY, bytes=size), size=size)

    def end(self) -> None:
        self.trace.write_rest()
        self.writer.close([])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def counted(tallies: list[Tally]) -> list[tuple[object, ...]]:
    """The figures of tallies in a report."""
    return [
        (tally.count, tally.seconds, tally.bytes, tally.in_steps, tally.in_batches, tally.event.hot)
        for tally in tallies
    ]


def events(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if '"event"' in line]


def test_it_grows_with_places_and_hardly_with_time(path: Path) -> None:
    run = Run(path)
    lines = []
    for _ in range(2):
        for _ in range(50_000):
            run.wait()
        lines.append(len(events(path)))
    assert lines[0] < 650
    assert lines[1] - lines[0] < 50, "one more in 64, so that twice as many make 45 lines more"
    run.wait(site=2)
    assert len(events(path)) == lines[1] + 1, "what is new has a line at once"


@given(
    turns=st.lists(
        st.tuples(st.integers(1, 900), st.sampled_from(["wait", "copy"]), st.integers(0, 2)), max_size=8
    )
)
def test_nothing_that_is_counted_is_lost(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[int, str, int]]
) -> None:
    path = tmp_path_factory.mktemp("trace") / "trace.jsonl"
    run = Run(path)
    for times, what, steps in turns:
        for turn in range(times):
            run.progress.steps += steps
            run.progress.batches += turn % 3 == 0
            run.wait() if what == "wait" else run.copy(8)
    run.end()
    timeline = Timeline()
    assert counted(read_trace(path, timeline).tallies) == counted(run.recorder.tallies())
    assert sum(moment.count for moment in timeline.moments) == sum(times for times, _, _ in turns)


def test_copies_of_many_sizes_add_up(path: Path) -> None:
    run = Run(path)
    for size in range(2000):
        run.copy(size)
    run.end()
    (tally,) = read_trace(path).tallies
    assert (tally.count, tally.bytes) == (2000, sum(range(2000)))


def test_a_program_that_is_killed_takes_little_with_it(path: Path) -> None:
    run = Run(path)
    for _ in range(5000):
        run.wait()
    (tally,) = read_trace(path).tallies
    assert 5000 * 63 / 64 <= tally.count <= 5000


def test_what_children_count_is_written_now_and_then(path: Path) -> None:
    run = Run(path)
    for _ in range(3000):
        run.recorder.add("child", Tally(WAIT, count=2, seconds=0.5, in_batches=1))
    run.end()
    assert len(events(path)) < 600
    assert counted(read_trace(path).tallies) == counted(run.recorder.tallies())


def test_times_stay_in_order(path: Path) -> None:
    run = Run(path)
    for _ in range(1000):
        run.wait()
    run.end()
    timeline = Timeline()
    read_trace(path, timeline)

    def bursts() -> Iterator[tuple[float, float]]:
        for moment in timeline.moments:
            yield moment.start, moment.end

    assert all(start <= end for start, end in bursts())


def test_a_line_that_miscounts_is_left_out(path: Path) -> None:
    run = Run(path)
    for _ in range(300):
        run.wait()
    run.end()
    text = path.read_text()
    assert '"alike":{"count":' in text
    path.write_text(text.replace('"alike":{"count":', '"alike":{"count":-'))
    assert any("damaged lines" in remark for remark in read_trace(path).remarks)


def test_an_event_may_come_while_one_is_written(path: Path) -> None:
    """As from a signal handler, or from a finalizer that the collector runs."""
    run = Run(path)
    inner: list[Event] = []

    def interrupting(site: SiteId) -> object:
        if not inner:
            inner.append(WAIT)
            run.wait(site=7)
        return place(site)

    run.writer.attach(interrupting, run.progress, lambda: False)  # type: ignore[arg-type]
    run.wait()
    run.end()
    assert sorted(tally.event.site for tally in read_trace(path).tallies) == [1, 7]
