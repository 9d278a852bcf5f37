"""Comparisons of numbers: constants, options, counts, and numbers with bounds."""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any

from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.values import AVAILABLE, BOOL, UNAVAILABLE, Known, Scalar, Value
from devlint.source.machine.operators.accelerator import SEVERAL_DEVICES

_COMPUTE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": python.eq,
    "ne": python.ne,
    "lt": python.lt,
    "le": python.le,
    "gt": python.gt,
    "ge": python.ge,
}


def of_constants(name: str, one: Known, other: Known) -> Value:
    """A comparison of constants. Whether an option with a negative default is given is constant during a run:
    such a default stands for none."""
    try:
        holds = bool(_COMPUTE[name](one.value, other.value))
    except TypeError:
        return BOOL
    for held in (one, other):
        if isinstance(held, Option) and type(held.value) is int and held.value < 0:
            given = of_constants(name, *(Known(0) if each is held else each for each in (one, other)))
            if given == Known(not holds):
                flag = f"number {held.key}"
                return Scalar("bool", flag=f"not {flag}" if holds else flag, flag_default=holds)
    return Known(holds)


_ASKS_FOR_ONE = {"gt": Known(0), "ge": Known(1), "ne": Known(0)}
"""Comparisons of the number of devices that are true if there is one."""
_ASKS_FOR_NONE = {"le": Known(0), "lt": Known(1), "eq": Known(0)}
"""Comparisons of the number of devices that are true if there is none."""


def of_scalars(name: str, one: Value, other: Value) -> Value:
    """A comparison of unknown numbers. A counter of turns equals a number in few turns."""
    for held, against, relation in ((one, other, name), (other, one, MIRRORED.get(name, name))):
        if isinstance(held, Scalar) and held.availability and held.type == "int":
            return _of_device_count(relation, against)
    decided = _by_bounds(name, one, other)
    if decided is not None:
        return Known(decided)
    periodic = 0
    for held in (one, other):
        if isinstance(held, Scalar) and (held.periodic or held.counter):
            periodic = {"eq": 1, "ne": -1}.get(name, 0)
    if isinstance(one, (Known, Scalar)) and isinstance(other, (Known, Scalar)):
        types = {scalar_type(one), scalar_type(other)}
        if "NoneType" in types and len(types) == 2 and "" not in types and name in ("eq", "ne"):
            return Known(name == "ne")
    return Scalar("bool", periodic=periodic)


def _of_device_count(name: str, against: Value) -> Value:
    """A comparison of the number of devices with another number."""
    if _ASKS_FOR_ONE.get(name) == against:
        return AVAILABLE
    if _ASKS_FOR_NONE.get(name) == against:
        return UNAVAILABLE
    wants_few = name in ("lt", "le", "eq")
    flag = f"not {SEVERAL_DEVICES}" if wants_few else SEVERAL_DEVICES
    return Scalar("bool", flag=flag, flag_default=wants_few)


MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
"""Each comparison with its operands exchanged."""


def _by_bounds(name: str, one: Value, other: Value) -> bool | None:
    """A comparison decided by bounds: no accelerator has a negative ordinal (the host has one), a length
    that is positive is not zero, and one that is at most one is not two."""
    if isinstance(one, Known):
        name, one, other = MIRRORED.get(name, name), other, one
    match one, other:
        case Scalar(type="int", least=least, most=most), Known(value=int(bound)) if name in _COMPUTE:
            ends = [each for each in (least, most, bound - 1, bound, bound + 1) if each is not None]
            inside = [
                each for each in ends if (least is None or each >= least) and (most is None or each <= most)
            ]
            outcomes = {_COMPUTE[name](each, bound) for each in inside}
            return outcomes.pop() if len(outcomes) == 1 else None
        case _:
            return None
