"""Calls of torch's operator database, the same in every process, for oracles and tests.

A call's tensors are made on the CPU from fixed seeds. `placed` gives fresh operands, each moved by a function
of the caller's, save the one that stays on the host.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import torch
from torch.testing._internal import common_utils
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo import core
from torch.testing._internal.opinfo.core import OpInfo

SAMPLES = 20
_DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.bfloat16, torch.float16)

Slot: TypeAlias = tuple[int | str, ...]
"""The position of a tensor in a call: `(1,)`, `("weight",)`, `(0, 2)` for one in a list."""
Inputs: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and keyword arguments."""


def entries() -> dict[str, OpInfo]:
    """All operators of the database by name, `norm` or `norm:fro` for a variant."""
    return {":".join(filter(None, (info.name, info.variant_test_name))): info for info in op_db}


def inputs_of(info: OpInfo, *, requires_grad: bool = False) -> list[Inputs]:
    """At most `SAMPLES` of an operator's sample calls, spread evenly over all that the database has.

    In the first dtype of float32, int64, bool, complex64, bfloat16 and float16 that the operator supports on
    the CPU; none if there is none.
    """
    calls = list(_calls(info, requires_grad=requires_grad))
    calls = [call for call in calls if "cuda" not in _description(call)]  # a CPU build has none of them
    calls.sort(key=_description)  # some sample functions iterate over sets
    count = min(SAMPLES, len(calls))
    return [calls[place * len(calls) // count] for place in range(count)]


def first_inputs_of(info: OpInfo) -> Inputs | None:
    """The first of an operator's sample calls, without creating the others; None if there is none."""
    return next(_calls(info, requires_grad=False), None)


def _calls(info: OpInfo, *, requires_grad: bool) -> Iterator[Inputs]:
    supported = info.supported_dtypes("cpu")  # type: ignore[no-untyped-call]
    dtype = next((dtype for dtype in _DTYPES if dtype in supported), None)
    if dtype is not None:
        seed()
        differentiable = requires_grad and (dtype.is_floating_point or dtype.is_complex)
        with _outside_of_tests():
            samples = info.sample_inputs("cpu", dtype, requires_grad=differentiable)  # type: ignore[no-untyped-call]
        for sample in samples:
            yield (sample.input, *sample.args), dict(sample.kwargs)


@contextmanager
def _outside_of_tests() -> Iterator[None]:
    """Keep torch from searching the stack for a test of its own, which takes longer than making samples."""
    with (
        patch.object(core, "extract_test_fn", create=True, return_value=None),
        patch.object(common_utils, "extract_test_fn", create=True, return_value=None),
    ):
        yield


def seed() -> None:
    """Sets the generators that sample functions and operators draw from."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


def slots(inputs: Inputs) -> list[Slot]:
    """The positions of the tensors in a call, in order."""
    args, kwargs = inputs
    items: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
    return [slot for key, value in items for slot, _ in _tensors(value, (key,))]


def at(inputs: Inputs, slot: Slot) -> torch.Tensor:
    """The tensor in a slot."""
    args, kwargs = inputs
    first, *rest = slot
    value: Any = kwargs[first] if isinstance(first, str) else args[first]
    for key in rest:
        value = value[key]
    return value  # type: ignore[no-any-return]


def placed(
    inputs: Inputs,
    place: Callable[[torch.Tensor], torch.Tensor],
    stays: Slot | None = None,
    other_device: str = "cpu",
) -> Inputs:
    """The call with copies of its tensors, each moved by `place`, except that in slot `stays`."""

    def moved(tensor: torch.Tensor, slot: Slot) -> torch.Tensor:
        fresh = tensor.detach().clone().requires_grad_(tensor.requires_grad)
        return fresh.to(other_device) if slot == stays else place(fresh)

    return changed(inputs, moved)


def changed(inputs: Inputs, change: Callable[[torch.Tensor, Slot], Any]) -> Inputs:
    """The call with every tensor replaced."""
    args, kwargs = inputs
    return (
        tuple(_changed(value, (place,), change) for place, value in enumerate(args)),
        {name: _changed(value, (name,), change) for name, value in kwargs.items()},
    )


def fingerprint(calls: list[Inputs]) -> str:
    """Eight hexadecimal digits, equal where two processes made the same calls: shapes, dtypes, numbers."""
    return f"{zlib.crc32(''.join(map(_description, calls)).encode()):08x}"


def _description(inputs: Inputs) -> str:
    return repr([*changed(inputs, lambda tensor, _: f"{tensor.dtype}{tuple(tensor.shape)}")])


def _tensors(value: Any, slot: Slot) -> Iterator[tuple[Slot, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield slot, value
    elif isinstance(value, list | tuple | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _tensors(item, (*slot, key))


def _changed(value: Any, slot: Slot, change: Callable[[torch.Tensor, Slot], Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value, slot)
    if isinstance(value, dict):
        return {key: _changed(item, (*slot, key), change) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_changed(item, (*slot, key), change) for key, item in enumerate(value))
    return value
