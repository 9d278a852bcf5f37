"""Tests that decide whether a program works on an accelerator: `if self.use_cuda: state = state.cuda()`.

If a hypothesis puts a module on an accelerator, such a flag is on. If the flag is off, all values are on the
host, so that those of the other path hardly meet others. The same holds for a test of a passed device, such
as `if device.type == "cuda": state = state.to(device)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from devlint.model import CPU, UNKNOWN, Concrete, Confidence, Device, Symbol, SymbolKind, is_accelerator
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, placed
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import (
    NONE,
    OF_SELF,
    OMITTED,
    TOP,
    DeviceValue,
    Object,
    Scalar,
    Tensor,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import Node, walk


def doubt_host(machine: Interpreter, test: ir.Expression, frame: Frame, one: Changes, other: Changes) -> None:
    """Lower the confidence of what one path leaves on the host and the other one moves to an accelerator.

    This applies under a hypothesis, if the test is of a flag or of the device to which one path moves.
    """
    if not machine.execution.hypothesis or not (_moves(one) or _moves(other)):
        return
    by_flag = _is_supplied_flag(machine, test, frame)
    supplied = _supplied_devices(machine, test, frame)
    if by_flag or supplied:
        _doubt(one, other, supplied, by_flag=by_flag)
        _doubt(other, one, supplied, by_flag=by_flag)


def _moves(changes: Changes) -> bool:
    """Whether a path replaces a tensor on the host."""
    return any(_is_on_host(before) and any(_tensors(after)) for _, _, before, after in changes.values())


def _doubt(left: Changes, moved: Changes, supplied: set[Device], *, by_flag: bool) -> None:
    for place, (target, key, before, after) in moved.items():
        if place in left or not _is_on_host(before):
            continue
        devices = [each.device for each in _tensors(after)]
        if any(each in supplied or (by_flag and _is_named(each)) for each in devices):
            left[place] = (target, key, before, _doubted(before))


def _tensors(held: Value | None) -> Iterator[Tensor]:
    """The tensors that a value is, on one path or another."""
    return (each for each in alternatives(TOP if held is None else held) if isinstance(each, Tensor))


def doubt_fallback(body: Changes, handled: Changes) -> None:
    """Lower the confidence of what an exception handler leaves on the host and the body of the `try` puts
    elsewhere: the handler is most likely for machines without an accelerator. A device that only the body
    finds is likely to be there."""
    for place, (target, key, before, after) in handled.items():
        by_body = body[place][3] if place in body else None
        if _is_on_host(after) and isinstance(by_body, Tensor) and by_body.device not in (CPU, UNKNOWN):
            handled[place] = (target, key, before, _doubted(after))
        elif after == NONE and by_body not in (None, NONE):
            handled[place] = (target, key, before, OMITTED)


def doubt_chosen(
    machine: Interpreter, test: ir.Expression, frame: Frame, then: Value, orelse: Value
) -> tuple[Value, Value]:
    """The two values between which a test chooses: a flag that moves one to a device leaves the other one,
    and all other values, on the host."""
    if not machine.execution.hypothesis or not _is_supplied_flag(machine, test, frame):
        return then, orelse
    return _beside(then, orelse), _beside(orelse, then)


def _beside(held: Value, other: Value) -> Value:
    on_device = isinstance(other, Tensor) and _is_named(other.device)
    doubted = _doubted(held) if on_device and _is_on_host(held) else None
    return held if doubted is None else doubted


def where_host_reads(
    machine: Interpreter, test: ir.Expression, frame: Frame, other: Iterable[Node]
) -> AbstractContextManager[None]:
    """Execute one of two branches of a flag: what the other branch copies to the host is there already."""
    if machine.execution.hypothesis and _is_supplied_flag(machine, test, frame):
        return _doubting(machine, _brought_down(other), frame)
    return nullcontext()


@contextmanager
def _doubting(machine: Interpreter, places: Iterable[ir.Name | ir.Attribute], frame: Frame) -> Iterator[None]:
    """A context in which the devices of some values are only possible."""
    undo: list[tuple[Object, object, Value, Value]] = []
    for each in places:
        place = cell(machine, each, frame)
        held = None if place is None else place[0].cells.get(place[1])
        if place is not None and isinstance(held, (Tensor, Input)):
            undo.append((*place, held, _less_sure(held)))
            machine.store.write(*place, undo[-1][3])
    try:
        yield
    finally:
        for target, key, before, after in undo:
            if target.cells.get(key) is after:
                machine.store.write(target, key, before)


def _brought_down(nodes: Iterable[Node]) -> Iterator[ir.Name | ir.Attribute]:
    """The values whose `cpu` some code calls, directly or after a computation: `x.detach().cpu()`."""
    for each in walk(nodes):
        match each:
            case ir.CallExpression(function=ir.Attribute(value=held, name="cpu"), arguments=()):
                while isinstance(held, (ir.CallExpression, ir.Attribute, ir.Name)):
                    if isinstance(held, (ir.Name, ir.Attribute)):
                        yield held
                    if isinstance(held, ir.Name):
                        break
                    held = held.value if isinstance(held, ir.Attribute) else held.function


def _less_sure(held: Tensor | Input) -> Value:
    if isinstance(held, Tensor):
        return changed(held, confidence=Confidence.POSSIBLE)
    return placed(held, held.device, Confidence.POSSIBLE, held.born)


def _supplied_devices(machine: Interpreter, test: ir.Expression, frame: Frame) -> set[Device]:
    """The devices in a test that were passed to a function or an object."""
    places = (
        cell(machine, each, frame) for each in walk((test,)) if isinstance(each, (ir.Name, ir.Attribute))
    )
    asked = (place[0].cells.get(place[1]) for place in places if place is not None)
    named = (device_named(each) for each in asked if isinstance(each, (Input, DeviceValue)))
    return {each.device for each in named if each is not None and isinstance(each.device, Symbol)}


def _is_supplied_flag(machine: Interpreter, test: ir.Expression, frame: Frame) -> bool:
    """Whether a test reads an unknown truth value that was passed to a function or an object, or asks whether
    it equals a constant."""
    while isinstance(test, ir.Unary) and test.operator == "not":
        test = test.operand
    match test:
        case ir.Compare(left=left, rest=(("eq" | "ne" | "is" | "is_not", ir.Constant()),)):
            test = left
        case _:
            pass
    if not isinstance(test, (ir.Name, ir.Attribute)):
        return False
    place = cell(machine, test, frame)
    held = None if place is None else place[0].cells.get(place[1])
    is_flag = held is not None and any(map(_may_be_flag, alternatives(held)))
    return is_flag and (isinstance(test, ir.Attribute) or _is_parameter(test, frame))


def _may_be_flag(held: Value) -> bool:
    return isinstance(held, Input) or (isinstance(held, Scalar) and held.type in ("bool", "int"))


def _is_parameter(name: ir.Name, frame: Frame) -> bool:
    function = frame.function
    return function is not None and any(each.name == name.name for each in function.node.parameters)


def _is_on_host(held: Value | None) -> bool:
    return isinstance(held, Tensor) and held.device == CPU


def _is_named(device: Device) -> bool:
    """Whether a device is an accelerator that the program names, or was passed to it."""
    if isinstance(device, Symbol):
        return device.kind is SymbolKind.DEVICE or device.name.startswith(OF_SELF)
    return isinstance(device, Concrete) and is_accelerator(device)


def _doubted(held: Value | None) -> Value | None:
    if not isinstance(held, Tensor):
        return held
    return changed(held, confidence=least_sure(held.confidence, Confidence.POSSIBLE))
