"""What an operation owes to what its function is given."""

from __future__ import annotations

from typing import TypeGuard

from devlint.model import (
    CPU,
    UNKNOWN,
    Device,
    Event,
    Operation,
    Setting,
    SettingKind,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.operators import find
from devlint.source.flow.modules.instances import is_own, own_field
from devlint.source.flow.state.frame import OF_SELF, Frame
from devlint.source.flow.state.values import TOP, Array, Literal, Scalar, Tensor, Value


def is_placed_by_others(event: Operation) -> bool:
    """Whether an operation is on what is given to a function or a module, wherever that is: a test decides
    it for all of its functions."""
    return any(isinstance(operand.device, Symbol) for operand in event.operands)


def is_given(device: Device) -> TypeGuard[Symbol]:
    """Whether a device is that of a parameter or of an attribute of one, whatever a caller gives for it."""
    return isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR and not is_own(device.name)


def _is_given_module(device: Device) -> bool:
    """Whether a device is that of a module that came in as a parameter."""
    return isinstance(device, Symbol) and device.kind is SymbolKind.MODULE and device != OF_SELF


def is_on_given(event: Operation) -> bool:
    """Whether an operation is on tensors that came in as parameters."""
    return any(is_given(operand.device) for operand in event.operands)


def is_from_outside(event: Operation) -> bool:
    """Whether an operation is on tensors that came in as parameters, now or when the object was made."""
    return is_on_given(event) or any(own_field(operand.device) for operand in event.operands)


def is_on_host(event: Event, names: frozenset[str]) -> bool:
    """Whether an operation is on what the file gives, under the same name, to what takes host tensors."""
    if not names or not isinstance(event, Operation):
        return False
    if not any(is_given(o.device) and o.device.name in names for o in event.operands):
        return False
    operator = find(event.operator)
    return operator is None or not any(argument.host for argument in operator.arguments)


def lies_where_host_code_does(event: Operation, frame: Frame) -> bool:
    """Whether an operation is on what a function that prepares data is given, or one that reads its
    parameters by NumPy as they are."""
    if frame.on_host:
        return True
    if not any(operand.device in frame.read_as_array for operand in event.operands):
        return False
    operator = find(event.operator)
    return operator is not None and not any(argument.host for argument in operator.arguments)


def is_read_as_array(value: Value, frame: Frame) -> bool:
    """Whether a value is what the function gives to NumPy as it is."""
    return isinstance(value, Tensor) and is_given(value.device) and value.device in frame.read_as_array


def is_within_new_module(event: Event, *, called: bool) -> bool:
    """Whether an operation is on the state of `self` and on host tensors alone: no caller can have moved the
    module while its constructor runs. What a constructor gives to what it has `called` lies there, too."""
    if not isinstance(event, Operation):
        return False
    devices = {operand.device for operand in event.operands}
    left = {device for device in devices if not (called and (is_given(device) or _is_given_module(device)))}
    return (OF_SELF in devices or left < devices) and left <= {OF_SELF, CPU, UNKNOWN}


def is_of_new_state(event: Event) -> bool:
    """Whether an event is about tensors that a module is built of, which moves them later."""
    return isinstance(event, Setting) and event.kind in (SettingKind.IMPLICIT_DEVICE, SettingKind.HOST_DATA)


def lies_anywhere(value: Value) -> bool:
    """Whether nothing is known of where a value lies."""
    return value == TOP or (isinstance(value, Tensor) and value.device == UNKNOWN)


def lies_on_host(value: Value) -> bool:
    """Whether a value is a tensor on the host, or none at all.

    `torch.tensor(data)` is where the data is if that is a tensor, which it hardly ever is.
    """
    if isinstance(value, Tensor):
        last = value.origin.last
        return value.device == CPU or (
            value.device == UNKNOWN and last is not None and last.step is Step.MADE and last.implicit
        )
    return isinstance(value, Literal | Scalar | Array)
