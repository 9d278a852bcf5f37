"""The identity of unknown values: two reads of one unknown value give the same value."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from devlint.source.machine.domain.entries import EntryOf, Given
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    UNKNOWN_SCALARS,
    Scalar,
    Top,
    Union,
    Value,
    changed,
)

Outcomes = frozenset[tuple[Hashable, bool]]


class Same(NamedTuple):
    """A value that equals only itself."""

    held: Value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


def identity(held: Value | None) -> Hashable | None:
    """The identity of an unknown value, wherever it is stored; None for a known one."""
    match held:
        case Scalar() | Input():
            return Same(held)
        case EntryOf():
            return None if held.key is None else held
        case Given(entry=entry, default=default):
            return (identity(entry) or entry, default)
        case Top() if held is not TOP:
            return Same(held)
        case Union(alternatives=members):
            return tuple(identity(each) or each for each in members)
        case _:
            return None


def none_test(held: Value) -> Hashable:
    """The test whether a value with identity is None, as a path knows its outcome."""
    return ("is", identity(held), (type(None), None))


def outcomes_of_none(several: Union, one: Value) -> Outcomes:
    """What holds where an unknown argument that may be None (`device=None`) is this alternative.

    All tensors that are created with the argument are on the given device, or all are where they are
    without one.
    """
    if NONE not in several.alternatives or not any(map(identity, several.alternatives)):
        return frozenset()
    return frozenset({(none_test(several), one == NONE)})


def with_identity(held: Value) -> Value:
    """An unknown value, or one of known type, with identity: it is the same wherever it is stored.

    A second test of it has the outcome of the first one. That does not hold for two unknown values.
    """
    match held:
        case Union(alternatives=members):
            known = tuple(map(with_identity, members))
            same = all(one is other for one, other in zip(known, members, strict=True))
            return held if same else Union(known)
        case _ if type(held) is Scalar:
            return changed(held) if id(held) in _WITHOUT_IDENTITY else held
        case _:
            return Top() if held is TOP else held


_WITHOUT_IDENTITY = frozenset(map(id, UNKNOWN_SCALARS))
