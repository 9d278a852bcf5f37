"""Tests that show whether a device that a program was given is the host: `if device.type == "cpu"`."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Concrete, Device, is_of_tensor, parse_device
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import DeviceValue, External, Tensor
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter

_TEXT = External("builtins.str")
_DEVICE = External("torch.device")
_ARRAY = External("numpy.ndarray")
_IS_INSTANCE = External("builtins.isinstance")


def note_host(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> None:
    """Record for the rest of the path that a device is the host, if the outcome of a test shows that."""
    if taken and (array := _array(machine, test, frame)) is not None:
        machine.store.on_host |= {array}
    told = _told(machine, test, frame)
    if told is None:
        return
    asked, named, says = told
    if isinstance(named, Concrete) and named.index is not None:
        return  # it may be another one of its type
    if (named == CPU) is (says is taken) and (device := _given(machine, asked, frame)) is not None:
        machine.store.on_host |= {device}


def _array(machine: Interpreter, test: ir.Expression, frame: Frame) -> Device | None:
    """The device that an input of a hypothesis shares with the others, if it is an array of NumPy: what is
    given beside an array lies on the host too."""
    match test:
        case ir.CallExpression(
            function=ir.Name() as function,
            arguments=(ir.Argument(value=ir.Name() as asked), ir.Argument(value=classes)),
        ) if machine.evaluate(function, frame) == _IS_INSTANCE and machine.evaluate(classes, frame) == _ARRAY:
            held = machine.evaluate(asked, frame)
            device = held.device if isinstance(held, Input) else None
            return device if device is not None and is_of_tensor(device) else None
        case _:
            return None


def names_device(expression: ir.Expression) -> bool:
    """Whether an expression is a string that names a device."""
    match expression:
        case ir.Constant(value=str(name)):
            return parse_device(name) is not None
        case _:
            return False


def _told(
    machine: Interpreter, test: ir.Expression, frame: Frame
) -> tuple[ir.Expression, Device, bool] | None:
    """The device of which a test asks whether it is of a type, and whether the test says yes or no."""
    match test:
        case ir.Compare(left=left, rest=((("eq" | "ne" | "is" | "is_not") as name, right),)):
            asked, says = left, name in ("eq", "is")
        case ir.Compare(left=right, rest=((("in" | "not_in") as name, left),)):
            asked, says = left, name == "in"
        case ir.CallExpression(
            function=ir.Attribute(value=asked, name="startswith"), arguments=(ir.Argument(value=right),)
        ):
            says = True
        case ir.Attribute(value=held, name="is_cuda"):
            return held, Concrete("cuda"), True
        case _:
            return None
    constant = _without_calls(machine, right, frame)
    if not isinstance(constant, ir.Constant) or not isinstance(constant.value, str):
        return None
    named = parse_device(constant.value)
    if named is None:
        return None
    if isinstance(asked, ir.Attribute) and asked.name == "type":
        asked = asked.value
    return _without_calls(machine, asked, frame), named, says


def _without_calls(machine: Interpreter, expression: ir.Expression, frame: Frame) -> ir.Expression:
    """An expression without `str(…)` and `torch.device(…)` around it."""
    match expression:
        case ir.CallExpression(
            function=ir.Name() | ir.Attribute() as function, arguments=(ir.Argument(value=inner),)
        ):
            called = machine.evaluate(function, frame)
            if called in (_TEXT, _DEVICE):
                return _without_calls(machine, inner, frame)
    return expression


def _given(machine: Interpreter, asked: ir.Expression, frame: Frame) -> Device | None:
    """The device that an expression names or lies on, if a caller or a user has chosen it."""
    if not isinstance(asked, (ir.Name, ir.Attribute)):
        return None
    match machine.evaluate(asked, frame):
        case Tensor(device=device):
            pass
        case (Input() | DeviceValue()) as held:
            named = device_named(held)
            device = UNKNOWN if named is None else named.device
        case _:
            return None
    return None if device == UNKNOWN or isinstance(device, Concrete) else device
