"""Tests that devlint's memory does not grow while a program runs: some thousand calls, without a clock."""

from __future__ import annotations

import sys

import pytest

from tests.benchmarks.long_run.__main__ import WAYS, growth, measure

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


@pytest.mark.parametrize("way", ["devlint run", "devlint run --simulate cuda --trace"])
def test_nothing_is_held_that_came_and_went(way: str) -> None:
    marks = measure(WAYS[way], 20_000, 4)
    assert [mark["alive"] for mark in marks] == [0] * 4, "tensors, modules, threads and tasks"
    assert len({mark["threads"] for mark in marks}) == 1
    warm, *_, last = marks[1:]
    assert growth(warm, last) == {}
    assert last["objects"] - warm["objects"] < 100
    if "--trace" in WAYS[way]:
        sizes = [mark["trace"] for mark in marks]
        assert sizes[3] - sizes[2] < (sizes[1] - sizes[0]) / 2, (
            "of what recurs, ever fewer events are written"
        )
