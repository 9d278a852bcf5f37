"""When things were seen: kept one by one as long as there is room, and then to a resolution, without loss."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devlint.model import CPU, Cause, Concrete, Confidence, Move, Operand, SiteId, Synchronization, Transfer
from devlint.runtime.recording.timeline import Timeline, action_of

CUDA = Concrete("cuda", 0)


def operand(site: int) -> Operand:
    return Operand("x", SiteId(site), CUDA)


def wait(site: int = 1) -> Synchronization:
    return Synchronization(
        SiteId(site), None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, operand(site)
    )


def copy(site: int = 1) -> Transfer:
    return Transfer(SiteId(site), None, Confidence.SEEN, "torch.Tensor.cpu", operand(site), CUDA, CPU)


def test_a_moment_ends_when_it_is_seen_and_begins_as_long_before_as_the_host_waited() -> None:
    timeline = Timeline()
    timeline.add(wait(), at=2.0, step=7, seconds=0.5, size=None)
    (moment,) = timeline.moments
    assert (moment.start, moment.end, moment.step, moment.seconds, moment.count) == (1.5, 2.0, 7, 0.5, 1)


def test_what_happens_again_at_a_place_is_one_action_and_a_copy_there_is_another() -> None:
    timeline = Timeline()
    for at, event in enumerate((wait(), copy(), wait(), wait(2))):
        timeline.add(event, at, 0, None, 8 if isinstance(event, Transfer) else None)
    assert [moment.action for moment in timeline.moments] == [0, 1, 0, 2]
    assert [moment.bytes for moment in timeline.moments] == [None, 8, None, None]
    assert [action.site for action in timeline.actions] == [1, 1, 2]


def test_what_neither_waits_nor_copies_has_no_moment() -> None:
    timeline = Timeline()
    move = Move(SiteId(1), None, Confidence.SEEN, "torch.Tensor.to", operand(1), CUDA, CUDA, kept=True)
    timeline.add(move, 0.0, 0, None, None)
    assert action_of(move) is None
    assert timeline.moments == []


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.floats(0, 100, allow_nan=False),
            st.none() | st.integers(0, 1 << 40),
        ),
        max_size=300,
    ),
    st.integers(4, 40),
)
def test_nothing_is_lost_where_there_is_no_room_for_each(
    seen: list[tuple[int, float, int | None]], most: int
) -> None:
    timeline = Timeline(most)
    for site, at, size in sorted(seen, key=lambda each: each[1]):
        timeline.add(copy(site), at, 0, 0.25, size)
    moments = timeline.moments
    assert len(moments) <= max(most, 16)
    assert sum(moment.count for moment in moments) == len(seen)
    assert sum(moment.seconds or 0 for moment in moments) == 0.25 * len(seen)
    assert sum(moment.bytes or 0 for moment in moments) == sum(size or 0 for _, _, size in seen)
    assert timeline.resolution or len(moments) == len(seen)
    for site, at, _ in seen:
        (number,) = [n for n, action in enumerate(timeline.actions) if action.site == site]
        assert any(moment.start <= at <= moment.end for moment in moments if moment.action == number)


def test_where_there_is_no_room_neighbours_in_time_become_one() -> None:
    timeline = Timeline(most=8)
    for number in range(9):
        timeline.add(wait(), float(number), 0, None, None)
    assert timeline.resolution == 4.0
    assert [moment.count for moment in timeline.moments] == [4, 4, 1]
