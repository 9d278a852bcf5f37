"""Tests of merged traces of ranks: equal events on different devices, and differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from devlint.model import CPU, Cause, Concrete, Confidence, Event, Operand, Site, SiteId, Synchronization
from devlint.runtime.recording.progress import Progress
from devlint.runtime.trace import Trace, TraceError, TraceWriter, merge, read_trace
from devlint.runtime.trace.ranks import Rank


def wait(rank: int, line: int = 7, seconds: float | None = None) -> Synchronization:
    """A wait of a rank for its own device. Ranks number places as they come to them."""
    site = SiteId(100 * rank + line)
    operand = Operand("loss", site, Concrete("cuda", rank))
    reads = Cause.HOST_READ
    return Synchronization(site, None, Confidence.SEEN, "torch.Tensor.item", reads, operand, seconds)


@pytest.fixture
def traced(tmp_path: Path) -> Callable[..., Trace]:
    def trace(rank: int, *events: Event, ends: bool = True, remarks: tuple[str, ...] = ()) -> Trace:
        path = tmp_path / f"{rank}.jsonl"
        writer = TraceWriter(path, "2.13.0", Rank(rank, 4))
        progress = Progress()
        line = Site("train.py", 1, 1, 1, 9)
        writer.attach(lambda site: replace(line, line=site % 100), progress, lambda: False)
        for event in events:
            progress.steps += 1
            writer.listen(event)
        if ends:
            writer.close(remarks)
        return read_trace(path)

    return trace


def test_events_of_ranks_at_one_place_are_one(traced: Callable[..., Trace]) -> None:
    merged = merge([traced(rank, wait(rank, seconds=0.25), wait(rank, seconds=0.5)) for rank in range(4)])
    (tally,) = merged.tallies
    assert (tally.count, tally.seconds) == (8, 3.0)
    assert {rank: (found.count, found.seconds) for rank, found in tally.ranks.items()} == dict.fromkeys(
        range(4), (2, 0.75)
    )
    assert isinstance(tally.event, Synchronization)
    assert tally.event.operand is not None
    assert tally.event.operand.device == Concrete("cuda")
    assert merged.locate([tally.event.site]).site(tally.event.site).line == 7
    assert merged.remarks == []


def test_devices_that_differ_within_an_event_stay(traced: Callable[..., Trace]) -> None:
    here = wait(0)
    there = replace(here, operand=Operand("loss", here.site, CPU))
    merged = merge([traced(0, here, there)])
    operands = [getattr(tally.event, "operand", None) for tally in merged.tallies]
    assert {str(operand.device) for operand in operands if operand is not None} == {"cuda", "cpu"}


def test_ranks_that_differ_died_or_are_missing_are_told_of(traced: Callable[..., Trace]) -> None:
    merged = merge(
        [
            traced(0, wait(0), wait(0), wait(0, 9), remarks=("seen on one",)),
            traced(1, wait(1), ends=False),
            traced(3, wait(3), wait(3)),
        ]
    )
    counts = [[found.count for found in tally.ranks.values()] for tally in merged.tallies]
    assert counts == [[2, 1, 2], [1, 0, 0]]
    assert merged.remarks == [
        "there is no trace of rank 2 of 4",
        "rank 1 was killed or is still running: its trace stops after 1 of 3 optimizer steps",
        "rank 0: seen on one",
        "ranks differ in what they did at 2 places",
    ]


def test_what_is_so_on_all_ranks_is_said_once(traced: Callable[..., Trace]) -> None:
    merged = merge([traced(rank, wait(rank), remarks=("no time was measured",)) for rank in range(4)])
    assert merged.remarks == ["no time was measured"]


def test_a_rank_has_one_trace(traced: Callable[..., Trace]) -> None:
    trace = traced(0, wait(0))
    with pytest.raises(TraceError, match="of rank 0"):
        merge([trace, trace])
    with pytest.raises(TraceError, match="has none"):
        merge([trace, replace(trace, rank=None)])
