"""The laws of the order of abstract values and of their join."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devlint.model import CPU, UNKNOWN, Concrete, Confidence, Presumed, Symbol, SymbolKind
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import alike, join, join_all, leq, widen
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.values import (
    ARRAY,
    NONE,
    OVERFLOW,
    TOP,
    DeviceValue,
    External,
    GeneratorValue,
    Known,
    Scalar,
    Tensor,
    Union,
    Value,
)

CUDA = Concrete("cuda", 0)
DEVICES = st.sampled_from([CPU, CUDA, UNKNOWN, Symbol("x", SymbolKind.TENSOR)])
UNSURE = st.sampled_from([True, False, None])
RANKS = st.sampled_from([True, False, None, Presumed.DIMENSIONS])
SHAPES = st.none() | st.lists(st.sampled_from([None, 1, 3]), max_size=2).map(tuple)
INPUTS = (Input("x", CUDA, Confidence.LIKELY), Input("y", UNKNOWN, Confidence.POSSIBLE))
CONFIDENCES = st.sampled_from([Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE])
TENSORS = st.builds(
    Tensor,
    device=DEVICES,
    rank0=RANKS,
    boolean=UNSURE,
    pinned=UNSURE,
    confidence=CONFIDENCES,
    role=st.sampled_from(["", "buffer"]),
    attribute=st.sampled_from(["", "mask"]),
    source=st.sampled_from([None, *INPUTS]),
    shape=SHAPES,
    serial=st.integers(0, 3),
)
SCALARS = st.builds(
    Scalar,
    type=st.sampled_from(["", "int", "str", "bool"]),
    flag=st.sampled_from(["", "args.cuda"]),
    periodic=st.sampled_from([0, 1, -1]),
    counter=st.booleans(),
    text=st.sampled_from(["", "cuda:"]),
)
CONSTANTS = st.sampled_from([None, True, False, 0, 1, 2.5, "cpu", "cuda", b""]).map(Known)
OTHERS = st.sampled_from([
    TOP, OVERFLOW, NONE, ARRAY, Option("cuda", key="device"), External("torch.zeros"), External("numpy"),
    DeviceValue(CPU), DeviceValue(CUDA, "device"), GeneratorValue(CPU), GeneratorValue(CUDA), *INPUTS,
])  # fmt: skip
SINGLE: st.SearchStrategy[Value] = st.one_of(TENSORS, SCALARS, CONSTANTS, OTHERS)
VALUES = st.lists(SINGLE, min_size=1, max_size=3).map(join_all)


@given(VALUES)
def test_join_is_idempotent(value: Value) -> None:
    assert alike(join(value, value), value)


@given(VALUES, VALUES)
def test_join_is_commutative(left: Value, right: Value) -> None:
    assert alike(join(left, right), join(right, left))


@given(VALUES, VALUES, VALUES)
def test_join_is_associative(first: Value, second: Value, third: Value) -> None:
    assert alike(join(join(first, second), third), join(first, join(second, third)))


@given(VALUES, VALUES)
def test_a_join_stands_for_both(left: Value, right: Value) -> None:
    assert leq(left, join(left, right))
    assert leq(right, join(left, right))


@given(VALUES, VALUES)
def test_the_order_is_antisymmetric(left: Value, right: Value) -> None:
    if leq(left, right) and leq(right, left):
        assert alike(left, right)


@given(VALUES, VALUES, VALUES)
def test_join_is_monotone(lower: Value, more: Value, other: Value) -> None:
    upper = join(lower, more)
    assert leq(join(lower, other), join(upper, other))


@given(VALUES, VALUES, VALUES)
def test_the_order_is_transitive(first: Value, second: Value, third: Value) -> None:
    middle = join(first, second)
    upper = join(middle, third)
    assert leq(first, middle)
    assert leq(middle, upper)
    assert leq(first, upper)


@given(VALUES, VALUES)
def test_what_is_alike_joins_alike(value: Value, other: Value) -> None:
    twin = Union(tuple(reversed(value.alternatives))) if isinstance(value, Union) else value
    assert alike(twin, value)
    assert alike(join(twin, other), join(value, other))


@given(VALUES)
def test_the_top_is_above_all(value: Value) -> None:
    assert leq(value, OVERFLOW)


@given(VALUES, st.lists(VALUES, min_size=8, max_size=8))
def test_joins_settle(value: Value, turns: list[Value]) -> None:
    """However a loop changes a value, there are few values that it can grow to."""
    grown = [value]
    for each in turns * 2:
        joined = join(grown[-1], each)
        if not alike(joined, grown[-1]):
            grown.append(joined)
    assert len(grown) <= 40


@given(st.integers(), st.integers())
def test_numbers_that_change_are_any_number(before: int, after: int) -> None:
    wide = widen(Known(before), Known(after))
    assert wide == Known(after) if before == after else isinstance(wide, Scalar)
