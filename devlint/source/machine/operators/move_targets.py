"""The targets of moves: the devices that `.to()`, `.cuda()`, `.cpu()`, `.type()` and `.type_as()` name."""

from __future__ import annotations

import re
from typing import NamedTuple

from devlint.model import (
    CPU,
    UNKNOWN,
    Concrete,
    SettingKind,
    SiteId,
    Symbol,
    SymbolKind,
)
from devlint.source.machine.domain.dtypes import UNKNOWN_DTYPE, Dtype, named, of_tensor
from devlint.source.machine.domain.identity import Outcomes, outcomes_of_none
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.tensors import tensor_meant, tensor_of
from devlint.source.machine.domain.values import (
    DTYPE,
    NONE,
    TOP,
    TRUE,
    DeviceValue,
    External,
    Known,
    Method,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators import accelerator
from devlint.source.machine.operators.availability import note_hard_coded
from devlint.source.machine.operators.devices import current, note_query, wanted

ACCELERATOR_METHODS = {"cuda": "cuda", "xpu": "xpu", "hpu": "hpu", "npu": "npu", "mtia": "mtia"}
"""Methods that move to the current device of a type, or to one of its ordinals."""
MOVES = frozenset({"to", "cpu", "type", "type_as", *ACCELERATOR_METHODS})
_LEGACY_TYPE = re.compile(r"torch\.(cuda\.)?[A-Z]\w*Tensor$")


class Target(NamedTuple):
    """The target of a move, and its other effects."""

    place: DeviceValue | None
    """The device; None if only the dtype changes."""
    site: SiteId | None
    """The expression that names the device."""
    changes_dtype: bool
    non_blocking: bool
    copy: bool
    outcomes: Outcomes = frozenset()
    """The tests on which it depends."""
    dtype: Dtype = UNKNOWN_DTYPE
    """What is known of the dtype to which it is changed."""


def target_of(machine: Machine, method: str, call: Call) -> Target:
    """The target of `receiver.method(...)`."""
    target = _target_of(machine, method, call)
    if target.place is not None:
        accelerator.use(machine, call.site, target.place.device)
    return target._replace(dtype=_dtype_given(call)) if target.changes_dtype else target


def _dtype_given(call: Call) -> Dtype:
    """What is known of a dtype that is passed, or of that of a tensor that is passed instead."""
    found = (of_tensor(each) if isinstance(each, Tensor) else named(each) for each in call.values)
    return next((each for each in found if each is not None), UNKNOWN_DTYPE)


def leads_to_named(method: str, call: Call) -> bool:
    """Whether a move's target is a device that the program names, not the host or a tensor's device."""
    supplied = call.argument("device", 0)
    match None if supplied is None else supplied.value:
        case DeviceValue(of_tensor=of_tensor):
            return not of_tensor
        case Known(value=str(name)):
            return name != str(CPU)
        case Input(evident=False):
            return True  # what a caller names
        case _:
            return method in ACCELERATOR_METHODS


def _target_of(machine: Machine, method: str, call: Call) -> Target:
    asked = call.value("non_blocking")
    non_blocking = asked is not None and machine.truth(asked) is not False
    copy = call.value("copy") == TRUE
    if method == "cpu":
        return Target(DeviceValue(CPU), None, changes_dtype=False, non_blocking=False, copy=False)
    if method in ACCELERATOR_METHODS:
        return _to_accelerator(machine, ACCELERATOR_METHODS[method], call, non_blocking=non_blocking)
    if method in ("type", "type_as"):
        return _by_type(machine, method, call, non_blocking=non_blocking)
    found = _place_of_to(machine, call)
    dtype = call.argument("dtype", 1)
    has_second_dtype = dtype is not None and bool(dtype.keyword or _is_dtype(dtype.value))
    place, named, is_dtype = found
    given = call.argument("device") or call.argument("", 0)
    outcomes = _outcomes(given)
    return Target(place, named, is_dtype or has_second_dtype, non_blocking, copy, outcomes)


def _outcomes(given: Passed | None) -> Outcomes:
    """What holds where the device of a move is not None, in which case it moves nothing."""
    held = None if given is None else given.value
    if not isinstance(held, Union):
        return frozenset()
    return outcomes_of_none(held, next(each for each in held.alternatives if each != NONE))


def _place_of_to(machine: Machine, call: Call) -> tuple[DeviceValue | None, SiteId | None, bool]:
    """The device of a `.to(...)`, the site that names it, and whether the dtype changes."""
    device = call.argument("device")
    if device is not None:
        return (None, None, False) if device.value == NONE else (wanted(machine, device), device.site, False)
    other = call.argument("other") or call.argument("tensor")
    first = other or call.argument("", 0)
    if first is None:
        return (None, None, call.argument("dtype") is not None) if _plain(call) else _unknown()
    if first.value == NONE or _is_dtype(first.value):
        return None, None, True
    beside = tensor_meant(first.value)
    if beside is not None:
        note_query(machine, first.site, beside.device)
        return DeviceValue(beside.device, "", beside.confidence), None, True
    place = wanted(machine, first)
    if isinstance(first.value, Input):
        # A dtype may be passed too.
        return place, None, False
    return place, first.site, False


def _plain(call: Call) -> bool:
    return not any(each.stars for each in call.passed)


def _unknown() -> tuple[DeviceValue, None, bool]:
    return DeviceValue(UNKNOWN), None, True


_PYTHON_DTYPES = frozenset({"builtins.bool", "builtins.complex", "builtins.float", "builtins.int"})
"""Types of Python that stand for a dtype."""


def _is_dtype(held: Value) -> bool:
    match held:
        case Union(alternatives=members):
            return all(map(_is_dtype, members))
        case External(name=name):
            return name.startswith("torch.") or name.endswith(".dtype") or name in _PYTHON_DTYPES
        case Method(name="dtype"):
            return True  # of a tensor or a module that is not known
        case _:
            return isinstance(held, Scalar) and held.type == DTYPE.type


def dtype_named(call: Call) -> str | None:
    """The dtype of a `.to(...)` or `.type(...)` without a device; None if it is not known."""
    supplied = call.argument("dtype", 0)
    held = TOP if supplied is None else supplied.value
    return held.name.removeprefix("torch.") if isinstance(held, External) else None


def _to_accelerator(machine: Machine, kind: str, call: Call, *, non_blocking: bool) -> Target:
    supplied = call.argument("device", 0)
    if supplied is None or supplied.value == NONE:
        if kind == "cuda":
            note_hard_coded(machine, call.site, ".cuda()")
        device = current(machine, Concrete(kind))
        return Target(DeviceValue(device), None, False, non_blocking, False)
    note_hard_coded(machine, call.site, ".cuda()")
    place = wanted(machine, supplied)
    if isinstance(place.device, Symbol):
        place = changed(place, device=Symbol(place.device.name, SymbolKind.DEVICE))
    elif place.device == UNKNOWN and isinstance(supplied.value, (Top, Union)):
        place = DeviceValue(UNKNOWN)
    return Target(place, supplied.site, False, non_blocking, False)


def _by_type(machine: Machine, method: str, call: Call, *, non_blocking: bool) -> Target:
    first = call.argument("dtype", 0) or call.argument("other", 0)
    held = TOP if first is None else first.value
    if method == "type_as":
        other = tensor_of(held)
        if other is not None:
            note_query(machine, call.site, other.device)
        place = DeviceValue(UNKNOWN if other is None else other.device)
        return Target(place, None, True, non_blocking, False)
    if isinstance(held, DeviceValue):
        return Target(DeviceValue(held.device), None, True, non_blocking, False)
    name = held.name if isinstance(held, External) else held.value if isinstance(held, Known) else None
    if isinstance(name, str) and _LEGACY_TYPE.match(name):
        if ".cuda." in name:
            machine.setting(SettingKind.LEGACY_TYPE, call.site, name)
        device = current(machine, Concrete("cuda")) if ".cuda." in name else CPU
        return Target(DeviceValue(device), None, True, non_blocking, False)
    if isinstance(held, External) or first is None or _is_dtype(held):
        return Target(None, None, True, non_blocking, False)
    return Target(DeviceValue(UNKNOWN), None, True, non_blocking, False)
