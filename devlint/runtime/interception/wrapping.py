"""Calls that torch passes to no mode: conversions of arrays, constructors, checkpoints, explicit waits.

The operators table determines them. Not wrapped are functions that cannot be replaced: methods of classes in
C (`torch.Event`, `torch.Stream`, unlike those of `torch.cuda`), and legacy types (`torch.FloatTensor`), which
other functions of torch use as values.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from sys import _getframe
from types import ModuleType
from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.model import Cause
from devlint.operators import DeviceRule
from devlint.runtime.observer import Observer
from devlint.runtime.observer.functions import ObservedFunction, rows_by_name

Here = Callable[[], Observer | None]
"""The observer of the calls at the calling place; None if there is none."""

_ENTERED = {"torch.cuda.graph": "__enter__"}
"""Classes whose row in the table is about one of their methods."""
_IN_C = ("torch.Event.", "torch.Stream.")
"""Methods that cannot be replaced. A simulation uses the classes of `torch.cuda` for both."""
_CHECKPOINTS = ("torch.save", "torch.load")
"""They copy storages, which no mode gets."""
_HEAP_TYPE = 1 << 9
"""`Py_TPFLAGS_HEAPTYPE`: a class whose attributes can be set."""


def patch(patches: Patches, here: Here) -> None:
    """Have the observer look at these calls where it is on. `here` raises nothing."""
    for row, owner, name in unseen():
        patches.wrap(owner, name, functools.partial(_observed, row, here))
    patches.replace(torch.Tensor, "__new__", staticmethod(_constructor(rows_by_name()["torch.Tensor"], here)))


def unseen() -> Iterator[tuple[ObservedFunction, Any, str]]:
    """Each function to wrap: its row, the object that has it, and its name there."""
    done: set[tuple[int, str]] = set()
    for canonical, row in _unseen_rows():
        for owner, name in _places(canonical):
            bases = owner.__mro__ if isinstance(owner, type) else (owner,)
            if _can_be_set(owner, name) and not any((id(base), name) in done for base in bases):
                done.add((id(owner), name))
                yield row, owner, name


@cache
def _unseen_rows() -> tuple[tuple[str, ObservedFunction], ...]:
    """The rows of such functions. The shortest of several names comes first, because it is used."""
    found = [
        (canonical, row)
        for canonical, row in rows_by_name().items()
        if (_is_explicit(row) or _takes_over(row) or canonical in _CHECKPOINTS)
        and not canonical.startswith(_IN_C)
    ]
    return tuple(sorted(found, key=lambda known: len(known[0])))


def _is_explicit(row: ObservedFunction) -> bool:
    return any(sync.cause is Cause.EXPLICIT for sync in row.operator.syncs)


def _takes_over(row: ObservedFunction) -> bool:
    """Whether it creates tensors without a device argument: `from_numpy`, and constructors."""
    return row.makes and row.operator.rule is DeviceRule.METADATA


def _places(canonical: str) -> Iterator[tuple[Any, str]]:
    """The objects that have a function, with its names there: its module, and a package that re-exports
    it."""
    if canonical in _ENTERED:
        canonical = f"{canonical}.{_ENTERED[canonical]}"
    *path, name = canonical.split(".")[1:]
    owner: Any = torch
    package: Any = None
    for part in path:
        package, owner = owner, getattr(owner, part, None)
    yield owner, name
    if isinstance(owner, ModuleType) and package not in (None, torch) and hasattr(package, name):
        yield package, name


def _can_be_set(owner: Any, name: str) -> bool:
    if isinstance(owner, type):
        return bool(owner.__flags__ & _HEAP_TYPE) and hasattr(owner, name)
    return inspect.isroutine(getattr(owner, name, None))


def _observed(row: ObservedFunction, here: Here, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def observed(*args: Any, **kwargs: Any) -> Any:
        observer = here()
        if observer is None:
            return function(*args, **kwargs)
        return observer.wrapped(row, function, args, kwargs, _getframe(1))

    return observed


def _constructor(row: ObservedFunction, here: Here) -> Callable[..., Any]:
    """`torch.Tensor(...)`. Its `__new__` is replaced, because a class must keep its identity."""
    make = torch.Tensor.__new__

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 - it stands in for this method
        observer = here()
        if observer is None:
            return make(cls, *args, **kwargs)
        return observer.wrapped(row, functools.partial(make, cls), args, kwargs, _getframe(1))

    return __new__
