"""Tests that show whether a device that a program was given is the host: `if device.type == "cpu"`."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Concrete, Device, parse_device
from devlint.source import ir
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import DeviceValue, Input, Tensor
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter


def note_host(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> None:
    """Record for the rest of the path that a device is the host, if the outcome of a test shows that."""
    told = _told(test)
    if told is None:
        return
    asked, named, says = told
    if isinstance(named, Concrete) and named.index is not None:
        return  # it may be another one of its type
    if (named == CPU) is (says is taken) and (device := _given(machine, asked, frame)) is not None:
        machine.store.on_host |= {device}


def names_device(expression: ir.Expression) -> bool:
    """Whether an expression is a string that names a device."""
    return _named(expression) is not None


def _told(test: ir.Expression) -> tuple[ir.Expression, Device, bool] | None:
    """The device of which a test asks whether it is of a type, and whether the test says yes or no."""
    match test:
        case ir.Compare(left=left, rest=((("eq" | "ne" | "is" | "is_not") as name, right),)):
            named = _named(right)
            return None if named is None else (_asked(left), named, name in ("eq", "is"))
        case ir.Compare(left=left, rest=((("in" | "not_in") as name, right),)):
            named = _named(left)
            return None if named is None else (_asked(right), named, name == "in")
        case ir.CallExpression(
            function=ir.Attribute(value=held, name="startswith"), arguments=(ir.Argument(value=right),)
        ):
            named = _named(right)
            return None if named is None else (_asked(held), named, True)
        case ir.Attribute(value=held, name="is_cuda"):
            return held, Concrete("cuda"), True
        case _:
            return None


def _named(expression: ir.Expression) -> Device | None:
    """The device that a constant, or `torch.device` of a constant, names."""
    match expression:
        case ir.Constant(value=str(name)):
            return parse_device(name)
        case ir.CallExpression(
            function=ir.Attribute(name="device") | ir.Name(name="device"),
            arguments=(ir.Argument(value=ir.Constant(value=str(name))),),
        ):
            return parse_device(name)
        case _:
            return None


def _asked(expression: ir.Expression) -> ir.Expression:
    """The device that is asked: without `.type`, `str(…)` and `torch.device(…)` around it."""
    match expression:
        case ir.Attribute(value=inner, name="type"):
            return _asked(inner)
        case ir.CallExpression(
            function=ir.Name(name="str" | "device") | ir.Attribute(name="device"),
            arguments=(ir.Argument(value=inner),),
        ):
            return _asked(inner)
        case _:
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
