"""When the host waits for the device: the conditions of the operators table, decided on the values of a call.

Those that arguments decide are in `devlint.operators.wait_conditions`. Those here need sizes, or the two ends
of a copy, which only a running program knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import torch

from devlint.model import Cause, parse_device
from devlint.model.device import ACCELERATORS
from devlint.operators import MAKERS, SCALAR_ARGUMENT_WAITS, ArgumentKind, Sync, SyncWhen
from devlint.operators.wait_conditions import CONDITIONS, INDEXING
from devlint.runtime.observer.binding import BoundArguments
from devlint.runtime.observer.call_facts import RunningCallFacts, indices_of, written_of
from devlint.runtime.observer.operands import current_accelerator, tensor_type_device
from devlint.simulation.labels import place_of
from devlint.tensors.algorithms import FACTORIZING, factorized_by_magma, isin_sorts, mode_sorts


def on_device(value: object) -> TypeGuard[torch.Tensor]:
    """Whether a value is a tensor on an accelerator."""
    return isinstance(value, torch.Tensor) and place_of(value).type in ACCELERATORS


def wait(bound: BoundArguments) -> Sync | None:
    """The first of the operator's conditions that this call fulfills; None if the host does not wait."""
    facts = RunningCallFacts(bound)
    return next((sync for sync in bound.operator.syncs if _holds(sync, bound, facts)), None)


def awaited(bound: BoundArguments, sync: Sync) -> tuple[str, torch.Tensor] | None:
    """The tensor for which the host waits, and its argument; None if no tensor is on a device."""
    found = [(place, tensor) for _, place, tensor in bound.tensors() if on_device(tensor)]
    if sync.when in SCALAR_ARGUMENT_WAITS:
        found.reverse()
    if not found and sync.when in _IN_INDEX:
        found = [("indices", index) for index in indices_of(bound) if on_device(index)]
    return next(iter(found), None)


def _holds(sync: Sync, bound: BoundArguments, facts: RunningCallFacts) -> bool:
    if sync.cause is None or sync.cause is Cause.BACKWARD:
        return False
    if sync.cause is Cause.EXPLICIT:
        return torch.accelerator.is_available()
    if sync.when in CONDITIONS:
        is_placed = on_device(bound.first) if sync.when in INDEXING else _always(bound)
        return is_placed and CONDITIONS[sync.when](facts)
    return sync.when in _CONDITIONS and _CONDITIONS[sync.when](bound)


_IN_INDEX = frozenset(
    {
        SyncWhen.MASK_INDEX,
        SyncWhen.SCALAR_INDEX,
        SyncWhen.SCALAR_INDEX_OF_TENSOR,
        SyncWhen.TENSOR_BOUND,
    }
)


def _always(bound: BoundArguments) -> bool:
    if _names_accelerator(bound.value("device")):
        return True
    return any(on_device(tensor) for _, _, tensor in bound.tensors())


def _not_empty(bound: BoundArguments) -> bool:
    """Without elements there is nothing to compute or to check."""
    first = bound.first
    return on_device(first) and first.numel() > 0


def _same_shape(bound: BoundArguments) -> bool:
    """Tensors of different shapes are not compared."""
    return _always(bound) and len({tensor.shape for _, _, tensor in bound.tensors()}) == 1


def _to_host_blocking(bound: BoundArguments) -> bool:
    source, target = _ends(bound)
    return source in ACCELERATORS and target == "cpu" and not bound.value("non_blocking")


def _from_pageable_host(bound: BoundArguments) -> bool:
    source, target = _ends(bound)
    if source != "cpu" or target not in ACCELERATORS:
        return False
    moved = _source(bound)
    # A 0-dim value is passed as an argument of the kernel that fills it in.
    is_number = bound.operator.name.endswith("__setitem__") and moved.dim() == 0
    return not is_number and not bound.value("non_blocking")


def _ends(bound: BoundArguments) -> tuple[str, str]:
    """The device types of a copy's source and target; empty if it is not a copy."""
    source = _source(bound)
    if not isinstance(source, torch.Tensor):
        return _ends_of_loading(bound)
    target = bound.first
    if isinstance(target, torch.Tensor) and target is not source:
        return place_of(source).type, place_of(target).type
    named = bound.value("device", "dtype", "other")
    method = bound.operator.name.rpartition(".")[2]
    return place_of(source).type, method if method in ACCELERATORS else _device_type(named, source)


def _ends_of_loading(bound: BoundArguments) -> tuple[str, str]:
    """The storages of a checkpoint come from the host. Their target is known if `map_location` names one
    device."""
    place = bound.value("map_location")
    device = parse_device(str(place)) if isinstance(place, str | torch.device) else None
    return ("cpu", device.type) if device is not None else ("", "")


def _device_type(named: object, source: torch.Tensor) -> str:
    match named:
        case torch.Tensor() | torch.device():
            return place_of(named).type if isinstance(named, torch.Tensor) else named.type
        case str():
            return named.partition(":")[0] if not named.startswith("torch.") else tensor_type_device(named)
        case type():
            return tensor_type_device(named)
        case int() if not isinstance(named, bool):
            accelerator = current_accelerator()
            return place_of(source).type if accelerator is None else accelerator.type
        case _:
            return place_of(source).type


def _source(bound: BoundArguments) -> Any:
    """What is copied: the value where an operator writes into its first operand, else that operand."""
    written = written_of(bound)
    return bound.first if written is None else written


def _host_data(bound: BoundArguments) -> bool:
    named = bound.value("device")
    target = named if named is not None else bound.first
    data = bound.value("data", "obj")
    if data is None or isinstance(data, torch.Tensor) or _holds_device_tensor(data):
        return False
    if isinstance(target, torch.Tensor):
        return on_device(target)
    return _names_accelerator(target)


def _names_accelerator(named: object) -> bool:
    """Whether a device, or the device of a name, is an accelerator. Torch itself rejects other text."""
    device = parse_device(str(named)) if isinstance(named, str | torch.device) else None
    return device is not None and device.type in ACCELERATORS


def _tensors_in_data(bound: BoundArguments) -> bool:
    return _holds_device_tensor(bound.value("data", "obj"))


def _holds_device_tensor(data: object) -> bool:
    if isinstance(data, list | tuple):
        return any(on_device(item) or _holds_device_tensor(item) for item in data[:64])
    return False


def _zero_dim_host_operand(bound: BoundArguments) -> bool:
    tensors = [tensor for _, _, tensor in bound.tensors()]
    return any(map(on_device, tensors)) and any(
        tensor.dim() == 0 and place_of(tensor).type == "cpu" for tensor in tensors
    )


def _tensor_bound(bound: BoundArguments) -> bool:
    """The host reads a device tensor that is passed instead of a Python number.

    The first tensor is not such a number, unless the operator creates a tensor from its bounds.
    """
    makes = bound.operator.rule in MAKERS
    return any(
        _is_bound(value)
        for place, (argument, value) in enumerate(bound.arguments())
        if argument.kind is not ArgumentKind.TENSORS
        and argument.name != "out"
        and (place or argument.kind is not ArgumentKind.TENSOR or (makes and argument.name != "self"))
    )


def _is_bound(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(on_device(item) for item in value)
    return on_device(value)


def _sorter(bound: BoundArguments) -> bool:
    """The smallest and the largest element are read, if there are any."""
    sorter = bound.values.get("sorter")
    return isinstance(sorter, torch.Tensor) and sorter.numel() > 0 and _always(bound)


def _negative_power(bound: BoundArguments) -> bool:
    power = bound.values.get("n")
    return _always(bound) and isinstance(power, int) and power < 0


def _singular_values(bound: BoundArguments) -> bool:
    order, dim = bound.value("ord", "p"), bound.value("dim")
    matrix = bound.first
    is_matrix = isinstance(matrix, torch.Tensor) and matrix.dim() >= 2 and not isinstance(dim, int)
    # For `torch.norm`, a number is the order of a vector norm, whatever the tensor's shape.
    orders = (2, -2, "nuc") if bound.operator.name.startswith("torch.linalg.") else ("nuc",)
    return _not_empty(bound) and is_matrix and order in orders


def _large_input(bound: BoundArguments) -> bool:
    is_large = _LARGE.get(bound.operator.name.rpartition(".")[2])
    return is_large is not None and _always(bound) and is_large(bound)


def _isin_sorts(bound: BoundArguments) -> bool:
    elements, tested = (bound.value("elements", "element"), bound.value("test_elements", "test_element"))
    if not (isinstance(elements, torch.Tensor) and isinstance(tested, torch.Tensor)):
        return False
    return isin_sorts(elements, tested) and not bound.value("assume_unique")


def _mode_sorts(bound: BoundArguments) -> bool:
    return isinstance(bound.first, torch.Tensor) and mode_sorts(bound.first, bound.values.get("dim", -1))


def _factorized_by_magma(bound: BoundArguments) -> bool:
    return isinstance(bound.first, torch.Tensor) and factorized_by_magma(bound.first)


_LARGE = {"isin": _isin_sorts, "mode": _mode_sorts, **dict.fromkeys(FACTORIZING, _factorized_by_magma)}
"""The tests for large inputs, by operator."""


_CONDITIONS: dict[SyncWhen, Callable[[BoundArguments], bool]] = {
    SyncWhen.ALWAYS: _always,
    SyncWhen.NOT_EMPTY: _not_empty,
    SyncWhen.SAME_SHAPE: _same_shape,
    SyncWhen.TO_HOST_BLOCKING: _to_host_blocking,
    SyncWhen.FROM_PAGEABLE_HOST: _from_pageable_host,
    SyncWhen.HOST_DATA: _host_data,
    SyncWhen.ZERO_DIM_HOST_OPERAND: _zero_dim_host_operand,
    SyncWhen.TENSOR_BOUND: _tensor_bound,
    SyncWhen.SORTER: _sorter,
    SyncWhen.NEGATIVE_POWER: _negative_power,
    SyncWhen.MATRIX_NORM_BY_SINGULAR_VALUES: _singular_values,
    SyncWhen.TENSORS_IN_DATA: _tensors_in_data,
    SyncWhen.LARGE_INPUT: _large_input,
}
"""The conditions that the values of a call decide. Of the others, validated arguments and unsorted sequences
are observed by their reads in Python, and backward by the observers of kernels."""
