"""What an operation owes to what its function is given."""

from __future__ import annotations

from typing import TypeGuard

from devlint.model import UNKNOWN, Device, Event, Operation, Symbol, SymbolKind
from devlint.operators import find
from devlint.source.flow.values import TOP, Tensor, Value


def is_given(device: Device) -> TypeGuard[Symbol]:
    """Whether a device is that of a parameter, whatever tensor a caller gives for it."""
    return isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR and "." not in device.name


def is_on_given(event: Operation) -> bool:
    """Whether an operation is on tensors that came in as parameters."""
    return any(is_given(operand.device) for operand in event.operands)


def is_on_host(event: Event, names: frozenset[str]) -> bool:
    """Whether an operation is on what the file gives, under the same name, to what takes host tensors."""
    if not names or not isinstance(event, Operation):
        return False
    if not any(is_given(o.device) and o.device.name in names for o in event.operands):
        return False
    operator = find(event.operator)
    return operator is None or not any(argument.host for argument in operator.arguments)


def lies_anywhere(value: Value) -> bool:
    """Whether nothing is known of where a value lies."""
    return value == TOP or (isinstance(value, Tensor) and value.device == UNKNOWN)
