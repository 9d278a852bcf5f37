"""The functions of torch that are observed, according to the operators table.

All others are called directly: an addition costs as much as under an empty mode.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from devlint.operators import MAKERS, DeviceRule, Operator, ResultDevice, ResultKind, SyncWhen, find, names

_SEEN_IN_PYTHON = frozenset({SyncWhen.VALIDATES_ARGUMENTS, SyncWhen.UNSORTED, SyncWhen.BACKWARD_ONLY})
"""Conditions that are not evaluated, because their consequences are observed by themselves."""
_SELECTING = {SyncWhen.CONDITION_ALONE, SyncWhen.ZERO_DIM_HOST_OPERAND}
_MISSING = object()


@dataclass(frozen=True, slots=True)
class ObservedFunction:
    """An observed function, and why it is observed."""

    operator: Operator
    makes: bool
    """Its result has a new device, or the default one."""
    moves: bool
    copies: bool
    """It copies its value into its first operand, from any device."""
    waits: bool
    indexes: bool
    reads: bool
    """The host reads the first operand, on any device."""
    numbers: bool
    """It only waits if a tensor is passed instead of a number: `zeros`, `view`, `narrow`."""
    selects: bool
    """It only waits for a condition alone, or if a 0-dim tensor may lie on the host: `where`."""


@cache
def rows() -> dict[object, ObservedFunction]:
    """All observed functions, as torch passes them to a mode."""
    found: dict[object, ObservedFunction] = {}
    for name, row in rows_by_name().items():
        found.setdefault(resolve(name), row)
    return found


@cache
def rows_by_name() -> dict[str, ObservedFunction]:
    """All observed functions of this torch, by canonical name."""
    found: dict[str, ObservedFunction] = {}
    for name in names():
        operator = find(name, torch.__version__)
        row = _row(operator) if operator is not None and resolve(name) is not None else None
        if row is not None:
            found[name] = row
    return found


@cache
def operator_names() -> dict[object, str]:
    """The canonical names of all functions of the table, as torch passes them to a mode."""
    found: dict[object, str] = {}
    for name in names():
        function = resolve(name)
        if function is not None:
            found.setdefault(function, name)
    return found


def name_of(function: object) -> str:
    """The canonical name of a function; empty if the table has none."""
    try:
        return operator_names().get(function, "")
    except TypeError:  # scripted functions cannot be hashed
        return ""


def resolve(name: str) -> Any:
    """The object that torch passes to a mode for a canonical name; None if this torch has none."""
    value: Any = torch
    for part in name.split(".")[1:]:
        static = inspect.getattr_static(value, part, _MISSING) if value is torch.Tensor else _MISSING
        if static is not _MISSING and inspect.isgetsetdescriptor(static):
            return static.__get__
        value = getattr(value, part, _MISSING)
        if value is _MISSING:
            return None
    return value if _is_function(value) else None


def _is_function(value: Any) -> bool:
    return isinstance(value, Callable) and not inspect.ismodule(value)  # type: ignore[arg-type]


def _row(operator: Operator) -> ObservedFunction | None:
    row = ObservedFunction(
        operator,
        makes=operator.rule in MAKERS or _is_constructor(operator),
        moves=operator.rule is DeviceRule.MOVES,
        copies=operator.rule is DeviceRule.COPIES_INTO,
        waits=any(sync.when not in _SEEN_IN_PYTHON for sync in operator.syncs),
        indexes=any(argument.index for argument in operator.arguments),
        reads=operator.rule is DeviceRule.HOST_READ,
        numbers=_takes_numbers(operator),
        selects={sync.when for sync in operator.syncs} == _SELECTING,
    )
    looked_at = row.makes or row.moves or row.copies or row.waits or row.reads
    return row if looked_at else None


def _takes_numbers(operator: Operator) -> bool:
    return bool(operator.syncs) and all(sync.when is SyncWhen.TENSOR_BOUND for sync in operator.syncs)


def _is_constructor(operator: Operator) -> bool:
    result = operator.result
    return (
        result.kind is ResultKind.TENSOR
        and result.device is ResultDevice.HOST
        and not _takes_tensor(operator)
    )


def _takes_tensor(operator: Operator) -> bool:
    return operator.name.startswith("torch.Tensor.")
