"""Factories without a device in functions that have a device, where code for any device passes one."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Setting, SettingKind, SiteId, Step
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import DeviceValue, Reference, Tensor, Value
from devlint.source.machine.heap.defaults import default_device
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Instance


def note(machine: Machine, site: SiteId, operator: str) -> None:
    """Record a factory without a device, unless its tensor turns out to be moved later."""
    if not machine.asks_for(SettingKind.IMPLICIT_DEVICE) or default_device(machine) != CPU:
        return
    frame = machine.frame
    device_expression = _device_expression(frame)
    if device_expression is not None:
        confidence = machine.root_confidence
        event = Setting(site, None, confidence, SettingKind.IMPLICIT_DEVICE, operator, device_expression)
        machine.process.facts.implicit.setdefault(site, event)


def settled(machine: Machine, tensor: Tensor) -> None:
    """Record that a tensor is moved, read on the host, or assigned to a module."""
    made = tensor.origin.made()
    if made is not None and made.implicit and made.step is Step.MADE:
        machine.process.facts.settled.add(made.site)


def settle(machine: Machine) -> None:
    """Record the factories whose tensors are never moved."""
    facts = machine.process.facts
    for site, event in facts.implicit.items():
        if site not in facts.settled:
            machine.note(event)


def _device_expression(frame: Frame) -> str | None:
    """The expression of a device that a function has: empty if it has one without a name; None if it has
    none."""
    function = frame.function
    if function is None:
        return None
    owner = function.owner
    of_module = isinstance(owner, Class) and any(map(is_module_class, owner.externals))
    if of_module and function.name == "__init__":
        return None
    for parameter in function.node.parameters:
        held = frame.scope.cells.get(parameter.name)
        if isinstance(held, DeviceValue):
            return parameter.name
        if _may_be_off_host(held) or _knows_device(held):
            return f"{parameter.name}.device"
    return "" if of_module else None


def _may_be_off_host(held: Value | None) -> bool:
    """Whether a value is a tensor that may be on a device other than the host."""
    if isinstance(held, Tensor) or (isinstance(held, Input) and held.evident):
        return held.device not in (CPU, UNKNOWN)
    return False


def _knows_device(held: Value | None) -> bool:
    """Whether a value is an object that has a device."""
    if not isinstance(held, Reference) or not isinstance(held.target, Instance):
        return False
    return isinstance(held.target.cells.get("device"), DeviceValue)
