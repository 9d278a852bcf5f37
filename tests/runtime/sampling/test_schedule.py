"""Tests of the schedule of observed steps, and of the number of steps that each represents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devlint.runtime.sampling.schedule import SETTLING, SETTLING_AGAIN, Schedule


def steps(schedule: Schedule, count: int) -> list[int]:
    """The number of steps that each of the next ones represents; 0 for a step that is not observed."""
    seen = []
    for _ in range(count):
        seen.append(schedule.weight if schedule.watches else 0)
        schedule.end_step()
    return seen


def settled(every: int) -> Schedule:
    schedule = Schedule(every)
    steps(schedule, SETTLING)
    return schedule


def test_all_steps_are_watched_at_first() -> None:
    assert steps(Schedule(20), SETTLING) == [1] * SETTLING


@given(st.integers(2, 50), st.integers(1, 40))
def test_one_step_of_each_block_stands_for_all_of_it(every: int, blocks: int) -> None:
    seen = steps(settled(every), every * blocks)
    for block in range(blocks):
        assert sorted(seen[block * every : (block + 1) * every]) == [*[0] * (every - 1), every]


def test_what_comes_every_few_steps_is_seen_as_often_as_it_comes() -> None:
    """A fixed interval of 20 would see what comes with every fourth step always, or never."""
    seen = steps(settled(20), 20_000)
    for phase in range(4):
        assert 4_000 < sum(seen[phase::4]) < 6_000


@given(st.integers(2, 50), st.integers(0, 200))
def test_watches_at_once_where_something_changes(every: int, after: int) -> None:
    schedule = settled(every)
    steps(schedule, after)
    schedule.change()
    assert schedule.watches
    schedule.end_step()
    assert steps(schedule, SETTLING_AGAIN - 1) == [1] * (SETTLING_AGAIN - 1)


def test_goes_on_watching_as_long_as_something_changes() -> None:
    schedule = settled(20)
    for _ in range(100):
        schedule.change()
        schedule.end_step()
        assert schedule.watches


def test_counts_the_steps() -> None:
    schedule = settled(20)
    steps(schedule, 200)
    assert (schedule.steps, schedule.watched) == (SETTLING + 200, SETTLING + 10)
