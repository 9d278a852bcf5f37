"""The laws of the store: a path that was taken back leaves nothing; where paths meet, both have their say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devlint.model import SiteId
from devlint.source.machine.domain.lattice import alike
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import Known, Object, Tensor, Value
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.store import Changes, Store
from tests.source.machine.test_lattice import SINGLE

OBJECTS = 3
WRITES = st.lists(
    st.tuples(st.integers(0, OBJECTS - 1), st.sampled_from("abc"), st.one_of(st.none(), SINGLE)), max_size=8
)
Heap = list[dict[object, Value]]


def made(writes: list[tuple[int, str, Value | None]]) -> tuple[Store, list[Object]]:
    store, objects = Store(), [Container("dict") for _ in range(OBJECTS)]
    run(store, list(objects), writes)
    return store, list(objects)


def run(store: Store, objects: list[Object], writes: list[tuple[int, str, Value | None]]) -> None:
    for at, key, value in writes:
        store.write(objects[at], key, value)


def state(objects: list[Object]) -> Heap:
    return [dict(each.cells) for each in objects]


def path(store: Store, objects: list[Object], writes: list[tuple[int, str, Value | None]]) -> Changes:
    store.begin()
    run(store, objects, writes)
    return store.end()


def same(left: Heap, right: Heap) -> bool:
    return all(
        one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
        for one, other in zip(left, right, strict=True)
    )


@given(WRITES, WRITES)
def test_a_path_that_ends_has_left_nothing(
    before: list[tuple[int, str, Value | None]], writes: list[tuple[int, str, Value | None]]
) -> None:
    store, objects = made(before)
    was, stamps = state(objects), [each.stamp for each in objects]
    path(store, objects, writes)
    assert state(objects) == was
    assert [each.stamp for each in objects] == stamps
    assert not store.journals


@given(WRITES, WRITES, WRITES, WRITES)
def test_paths_within_paths_end_one_by_one(
    before: list[tuple[int, str, Value | None]],
    outer: list[tuple[int, str, Value | None]],
    inner: list[tuple[int, str, Value | None]],
    kept: list[tuple[int, str, Value | None]],
) -> None:
    store, objects = made(before)
    was = state(objects)
    store.begin()
    run(store, objects, outer)
    halfway = state(objects)
    path(store, objects, inner)
    assert state(objects) == halfway
    store.begin()
    run(store, objects, kept)
    store.keep()
    store.end()
    assert state(objects) == was


@given(WRITES, WRITES)
def test_applying_the_changes_of_a_path_is_running_it(
    before: list[tuple[int, str, Value | None]], writes: list[tuple[int, str, Value | None]]
) -> None:
    store, objects = made(before)
    store.apply(path(store, objects, writes))
    other, twins = made(before)
    run(other, twins, writes)
    assert state(objects) == state(twins)


@given(WRITES, WRITES, WRITES)
def test_it_does_not_matter_which_path_is_run_first(
    before: list[tuple[int, str, Value | None]],
    left: list[tuple[int, str, Value | None]],
    right: list[tuple[int, str, Value | None]],
) -> None:
    store, objects = made(before)
    store.merge(path(store, objects, left), path(store, objects, right))
    other, twins = made(before)
    other.merge(path(other, twins, right), path(other, twins, left))
    assert same(state(objects), state(twins))


@given(WRITES, WRITES, WRITES)
def test_a_path_that_waits_goes_on_as_it_was(
    before: list[tuple[int, str, Value | None]],
    waiting: list[tuple[int, str, Value | None]],
    meanwhile: list[tuple[int, str, Value | None]],
) -> None:
    store, objects = made(before)
    at_first = state(objects)
    store.begin()
    run(store, objects, waiting)
    then, stamps = state(objects), [each.stamp for each in objects]
    left = store.suspend()
    assert state(objects) == at_first
    path(store, objects, meanwhile)
    store.resume(left)
    assert state(objects) == then
    written = {at for at, *_ in waiting}
    assert all(objects[at].stamp == stamps[at] for at in written)
    store.end()
    assert state(objects) == at_first


def test_a_change_is_noticed_by_the_stamp_alone() -> None:
    store, (target, *_) = made([])
    stamp = target.stamp
    store.begin()
    store.write(target, "a", Known(1))
    assert target.stamp != stamp
    store.end()
    assert not target.cells


def test_what_stays_when_a_path_is_taken_back_is_noticed_by_the_stamp() -> None:
    store, (target, *_) = made([])
    store.begin()
    store.write(target, "a", Known(1))
    with store.apart():
        store.write(target, "b", Known(2))
    store.end()
    assert target.cells == {"b": Known(2)}
    instance = Instance("C", SiteId(0))
    store.write(instance, "a", Known(1))
    stamps = target.stamp, instance.stamp
    assert stamps[0] > 0
    store.begin()
    store.write(instance, "a", Known(2))
    store.draw(instance, Loop(None, SiteId(0)))
    store.end()
    assert (instance.cells, instance.stamp > stamps[1]) == ({"a": Known(1)}, True)


def test_stamps_of_different_contents_differ() -> None:
    store, (target, *_) = made([])
    path(store, [target], [(0, "a", Known(1))])
    assert target.stamp == 0
    store.begin()
    store.write(target, "a", Known(1))
    inside = target.stamp
    store.end()
    store.write(target, "a", Known(2))
    assert target.stamp > inside


def test_a_name_that_one_path_binds_holds_what_that_one_bound() -> None:
    store, objects = made([])
    store.merge(path(store, objects, [(0, "a", Tensor())]), path(store, objects, []))
    assert objects[0].cells == {"a": Tensor()}
