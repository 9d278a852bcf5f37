"""The order of abstract values and their join.

`join` is commutative, associative and idempotent up to `alike`, which ignores the data that only messages
need: origins and serial numbers. tests/source/machine/test_lattice.py verifies these laws.
"""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import CPU, Confidence, Presumed, Rank0, SiteId
from devlint.source.machine.domain.dict_keys import KeyOf
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.loops import Loop, inner
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.values import (
    OVERFLOW,
    TOP,
    Array,
    Known,
    Scalar,
    Shape,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
    changed,
)

MOST_ALTERNATIVES = 8
"""A union with more values than this is widened to the absorbing top."""


def alike(left: Value, right: Value) -> bool:
    """Whether two values are equal for every computation."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return (
            left.device == right.device
            and left.rank0 is right.rank0
            and left.boolean is right.boolean
            and left.floating is right.floating
            and left.role == right.role
            and left.attribute == right.attribute
            and left.pinned is right.pinned
            and left.shape == right.shape
            and left.itemsize == right.itemsize
            and left.confidence is right.confidence
            and left.source is right.source
            and left.assured is right.assured
            and left.outcomes == right.outcomes
            and left.mixed_at == right.mixed_at
            and left.in_graph is right.in_graph
            and (left.device != CPU or _is_same_loop(left.born, right.born))
        )
    if isinstance(left, Array) and isinstance(right, Array):
        return (
            left.may_be_number is right.may_be_number
            and left.drawn is right.drawn
            and left.boolean is right.boolean
            and left.dimensions == right.dimensions
            and left.least == right.least
            and left.held is right.held
            and _is_same_loop(left.written, right.written)
        )
    if isinstance(left, Union) and isinstance(right, Union):
        return len(left.alternatives) == len(right.alternatives) and all(
            any(alike(one, other) for other in right.alternatives) for one in left.alternatives
        )
    if isinstance(left, Input) and isinstance(right, Input):
        return (
            left.device == right.device
            and left.name == right.name
            and left.confidence is right.confidence
            and left.presumed is right.presumed
            and left.boolean is right.boolean
            and left.moved_in_place == right.moved_in_place
        )
    if isinstance(left, Known) and isinstance(right, Known):
        return type(left.value) is type(right.value) and left.value == right.value
    return left == right


def join(left: Value, right: Value) -> Value:
    """The join of two values: their least upper bound."""
    if left is right or alike(left, right):
        return left
    return _united((*alternatives(left), *alternatives(right)))


def join_all(values: Iterable[Value]) -> Value:
    """The join of several values; the top if there are none."""
    joined: Value | None = None
    for each in values:
        joined = each if joined is None else join(joined, each)
    return TOP if joined is None else joined


def leq(left: Value, right: Value) -> bool:
    """Whether the right value is an upper bound of the left one."""
    return alike(join(left, right), right)


def widen(before: Value, after: Value) -> Value:
    """The widening of a value that changed in one turn of a loop: an upper bound for all further turns.

    A number that changed becomes any number of its type. Other values, such as flags, take few different
    values.
    """
    if (
        isinstance(before, (Known, Scalar))
        and isinstance(after, (Known, Scalar))
        and not alike(before, after)
    ):
        one, other = scalar_type(before), scalar_type(after)
        if isinstance(after, Known) and one == other == "bool":
            return after
        if one and one != "NoneType" and other and other != "NoneType":
            return Scalar(one if one == other else "", periodic=_periodic(after), counter=one == "int")
    return join(before, after) if isinstance(before, Scalar) else after


def _periodic(held: Value) -> int:
    return held.periodic if isinstance(held, Scalar) else 0


def scalar_type(held: Known | Scalar) -> str:
    """The name of a Python scalar's type; empty if that is not known."""
    return held.type if isinstance(held, Scalar) else type(held.value).__name__


def _united(values: Iterable[Value]) -> Value:
    """A union that keeps one member for each class of values that are not alike."""
    members: list[Value] = []
    for each in values:
        if type(each) is Top and each.overflow:
            return OVERFLOW
        for at, member in enumerate(members):
            merged = _merged(member, each)
            if merged is not None:
                members[at] = merged
                break
        else:
            members.append(each)
    if len(members) == 1:
        return members[0]
    if len(members) > MOST_ALTERNATIVES:
        return OVERFLOW
    return Union(tuple(members))


def _merged(one: Value, other: Value) -> Value | None:
    """One value for both where nothing relevant is lost, else None."""
    if alike(one, other):
        return one
    if isinstance(one, Top) and isinstance(other, Top):
        return TOP
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return _merged_tensors(one, other)
    if isinstance(one, KeyOf) and isinstance(other, KeyOf):
        return changed(one, of=one.of | other.of)
    if isinstance(one, (Known, Scalar)) and isinstance(other, (Known, Scalar)):
        return _merged_scalars(one, other)
    if isinstance(one, Array) and isinstance(other, Array):
        joined = one if one.may_be_number else other
        return changed(
            joined,
            drawn=one.drawn and other.drawn,
            boolean=one.boolean and other.boolean,
            dimensions=one.dimensions if one.dimensions == other.dimensions else 0,
            least=min(one.least, other.least),
            held=one.held and other.held,
            written=inner(one.written, other.written),
        )
    return None


def _merged_tensors(one: Tensor, other: Tensor) -> Tensor | None:
    """Joins tensors on one device to one tensor, which keeps only what they have in common."""
    if one.device != other.device or one.attribute != other.attribute or one.role != other.role:
        return None
    return changed(
        one,
        rank0=_merged_ranks(one.rank0, other.rank0),
        boolean=one.boolean if one.boolean is other.boolean else None,
        floating=one.floating if one.floating is other.floating else None,
        pinned=one.pinned if one.pinned is other.pinned else None,
        shape=_merged_shapes(one.shape, other.shape),
        itemsize=one.itemsize if one.itemsize == other.itemsize else None,
        confidence=least_sure(one.confidence, other.confidence),
        source=_merged_sources(one.source, other.source),
        assured=one.assured and other.assured,
        outcomes=one.outcomes & other.outcomes,
        mixed_at=_merged_mixtures(one.mixed_at, other.mixed_at),
        in_graph=one.in_graph and other.in_graph,
        born=inner(one.born, other.born) if one.device == CPU else one.born,
    )


def _is_same_loop(one: Loop | None, other: Loop | None) -> bool:
    """Whether two values were made by the same loop, though perhaps in two executions of it."""
    return one is other or (one is not None and other is not None and one.site == other.site)


def _merged_sources(one: Input | None, other: Input | None) -> Input | None:
    """The older one of two inputs, so that a value that depends on either of them still depends on one."""
    return None if one is None or other is None else min(one, other, key=lambda each: each.number)


def _merged_mixtures(one: SiteId | None, other: SiteId | None) -> SiteId | None:
    """An operation on operands of several devices, if there is one on both paths."""
    return None if one is None or other is None else min(one, other)


def _merged_ranks(one: Rank0, other: Rank0) -> Rank0:
    if one is other:
        return one
    return Presumed.DIMENSIONS if {one, other} == {False, Presumed.DIMENSIONS} else None


def _merged_shapes(one: Shape | None, other: Shape | None) -> Shape | None:
    """Joins two shapes: sizes that differ become unknown. None if the numbers of dimensions differ."""
    if one == other:
        return one
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(left if left == right else None for left, right in zip(one, other, strict=True))


def _merged_scalars(one: Known | Scalar, other: Known | Scalar) -> Value | None:
    """Joins numbers to any number, and unknown strings to any string.

    None, options and known strings stay separate, because they select paths and devices, and so do strings
    that name devices.
    """
    if _stays_apart(one) or _stays_apart(other):
        return None
    types = {scalar_type(one), scalar_type(other)}
    if "str" in types and len(types) > 1:
        return None
    periodic = max(_periodic(one), _periodic(other), key=(0, -1, 1).index)
    bounds = [each.least if isinstance(each, Scalar) else None for each in (one, other)]
    least = None if None in bounds else min(each for each in bounds if each is not None)
    limits = [each.most if isinstance(each, Scalar) else None for each in (one, other)]
    most = None if None in limits else max(each for each in limits if each is not None)
    counter = any(isinstance(each, Scalar) and each.counter for each in (one, other))
    of = types.pop() if len(types) == 1 else ""
    return Scalar(of, periodic=periodic, counter=counter, least=least, most=most)


def _stays_apart(held: Known | Scalar) -> bool:
    if isinstance(held, Scalar):
        return bool(held.names)
    return isinstance(held, Option) or held.value is None or isinstance(held.value, str)


_ORDER = (Confidence.SEEN, Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE)
_RANK = {each: at for at, each in enumerate(_ORDER)}


def least_sure(*confidences: Confidence) -> Confidence:
    """The lowest of some confidences."""
    least, rank = confidences[0], _RANK[confidences[0]]
    for each in confidences:
        if each is not least and _RANK[each] > rank:
            least, rank = each, _RANK[each]
    return least


def surer(one: Confidence, other: Confidence) -> Confidence:
    """The higher of two confidences."""
    return _ORDER[min(_RANK[one], _RANK[other])]
