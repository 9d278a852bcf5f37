"""A trace written and read: whole, cut off, damaged, and by a process that was forked."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from devlint import __version__
from devlint.model import (
    CPU,
    Cause,
    Concrete,
    Confidence,
    HotPath,
    Operand,
    Site,
    SiteId,
    Synchronization,
    Transfer,
)
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.recording.timeline import Timeline
from devlint.runtime.trace import TraceError, TraceWriter, read_trace

CUDA = Concrete("cuda", 0)
WAIT = Synchronization(
    SiteId(1),
    None,
    Confidence.SEEN,
    "torch.Tensor.item",
    Cause.HOST_READ,
    Operand("loss", SiteId(2), CUDA),
    0.5,
)
COPY = Transfer(SiteId(3), None, Confidence.SEEN, "torch.Tensor.to", Operand("x", SiteId(3), CPU), CPU, CUDA)


def place(site: SiteId) -> Site:
    return Site("train.py", site, 1, site, 9, function="main")


def write(path: Path, listeners: Callable[[TraceWriter], None], *, ends: bool = True) -> None:
    writer = TraceWriter(path, "2.13.0")
    writer.attach(place, Progress(), lambda: False)
    listeners(writer)
    if ends:
        writer.close(["workers were not seen"])
    assert writer.problem == ""


def two_waits(writer: TraceWriter) -> None:
    writer.listen(WAIT)
    writer.listen(WAIT)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, two_waits)
    trace = read_trace(path)
    assert (trace.devlint, trace.torch) == (__version__, "2.13.0")
    assert trace.remarks == ["workers were not seen"]
    (tally,) = trace.tallies
    assert (tally.count, tally.seconds, tally.bytes) == (2, 1.0, None)
    assert tally.event.site == SiteId(1)
    located = trace.locate([SiteId(1), SiteId(2)])
    assert located.site(SiteId(2)) == Site(str(Path.cwd() / "train.py"), 2, 1, 2, 9, function="main")


def test_lines_are_json_and_name_each_place_before_its_event(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, two_waits)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"devlint": __version__, "torch": "2.13.0", "schema": 2}
    assert [next(iter(line)) for line in lines[1:]] == [
        "began",
        "file",
        "site",
        "site",
        "at",
        "at",
        "remark",
        "end",
    ]


def test_it_says_when_it_began_and_when_each_event_was(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    before = time.time()
    write(path, two_waits)
    timeline = Timeline()
    trace = read_trace(path, timeline)
    assert trace.began is not None
    assert before <= trace.began <= time.time()
    first, second = timeline.moments
    assert first.end <= second.end
    assert first.seconds == second.seconds == 0.5
    assert [action.site for action in timeline.actions] == [SiteId(1)]


def test_a_line_without_a_time_is_damaged_where_times_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, two_waits)
    path.write_text(path.read_text().replace('"at":', '"at":"x","was":', 1))
    timeline = Timeline()
    assert "damaged lines of the trace were ignored: 1" in read_trace(path, timeline).remarks
    assert len(timeline.moments) == 1


def test_copies_of_different_sizes_are_one_thing(tmp_path: Path) -> None:
    def copies(writer: TraceWriter) -> None:
        for size in (64, 64, 16):
            writer.listen(replace(COPY, bytes=size))

    path = tmp_path / "trace.jsonl"
    write(path, copies)
    (tally,) = read_trace(path).tallies
    assert (tally.count, tally.bytes) == (3, 144)


def test_the_hot_path_is_that_of_the_run(tmp_path: Path) -> None:
    def steps(writer: TraceWriter) -> None:
        progress = Progress()
        writer.attach(place, progress, lambda: False)
        for _ in range(3):
            progress.steps += 1
            writer.listen(WAIT)
        writer.attach(place, progress, lambda: True)
        writer.listen(COPY)

    path = tmp_path / "trace.jsonl"
    write(path, steps)
    hot = [tally.event.hot for tally in read_trace(path).tallies]
    assert hot == [HotPath.TRAINING_LOOP, HotPath.FORWARD]


def test_what_child_processes_counted_is_counted(tmp_path: Path) -> None:
    def reports(writer: TraceWriter) -> None:
        writer.adopt(Tally(WAIT, 30, seconds=1.5, in_batches=1))
        writer.listen(COPY)
        writer.adopt(Tally(WAIT, 12, seconds=0.5))

    path = tmp_path / "trace.jsonl"
    write(path, reports)
    waits, _ = read_trace(path).tallies
    assert (waits.count, waits.seconds, waits.event.hot) == (42, 2.0, HotPath.RECURRING)


def test_what_was_written_before_a_kill_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, two_waits, ends=False)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    trace = read_trace(path)
    (tally,) = trace.tallies
    assert tally.count == 1
    assert len(trace.remarks) == 2
    assert "incomplete" in trace.remarks[0]
    assert "incomplete" in trace.remarks[1]


def test_damage_is_said(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write(path, two_waits)
    lines = path.read_text().splitlines()
    lines[3:3] = ["nonsense", '{"at":0,"step":0,"batch":0,"forward":false,"event":{"is":"Spell"}}', "[1]"]
    path.write_text("\n".join(lines) + "\n")
    trace = read_trace(path)
    assert trace.tallies[0].count == 2
    assert trace.remarks[-1] == "damaged lines of the trace were ignored: 3"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not a trace"),
        ('{"version": 1}\n', "is not a trace"),
        ("\x80\x04", "is not a trace"),
        ('{"devlint": "9.0", "torch": null, "schema": 99}\n', "a later devlint, 9.0"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(text)
    with pytest.raises(TraceError, match=why) as refused:
        read_trace(path)
    assert "\n" not in str(refused.value)


def test_a_trace_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="No such file"):
        read_trace(tmp_path / "none")


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    def threads(writer: TraceWriter) -> None:
        def work() -> None:
            for turn in range(100):
                writer.listen(WAIT if turn % 2 else COPY)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    path = tmp_path / "trace.jsonl"
    write(path, threads)
    assert sum(tally.count for tally in read_trace(path).tallies) == 400


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    writer = TraceWriter(path, None)
    writer.attach(place, Progress(), lambda: False)
    before = path.read_bytes()
    child = os.fork()
    if not child:
        writer.listen(WAIT)
        writer.close([])
        os._exit(0)
    os.waitpid(child, 0)
    assert path.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_ends_the_trace_and_not_the_program() -> None:
    writer = TraceWriter(Path("/dev/full"), None)
    writer.attach(place, Progress(), lambda: False)
    writer.listen(WAIT)
    writer.close([])
    assert writer.problem == "No space left on device"
