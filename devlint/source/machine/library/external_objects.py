"""Objects of classes outside the project: their creation, attributes and elements."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import Device
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Method, Reference, Value
from devlint.source.machine.heap.classes import fields_of
from devlint.source.machine.heap.derived_containers import is_dict
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.registries import await_registration
from devlint.source.machine.library import data, distributions, methods, optimizers, parsers
from devlint.source.machine.modules import state
from devlint.source.machine.modules.parts import is_opaque
from devlint.source.walk import text


def construct(machine: Machine, made: Instance, call: Call) -> None:
    """An object of a class of the project whose base outside the project creates it."""
    if isinstance(made.of, Class) and made.of.externals:
        methods.call_method(machine, Reference(made), "__init__", call)


def attribute(machine: Machine, instance: Instance, owner: Value, name: str, node: ir.Expression) -> Value:
    """An attribute that neither an object nor its class in the project defines."""
    if instance.of == parsers.NAMESPACE:
        return TOP
    if name == "device":
        found = _device(machine, instance)
        if found is not None:
            return DeviceValue(found, text(node))
    if optimizers.is_optimizer(_externals(instance)):
        groups = optimizers.attribute(machine, instance, name, node)
        if groups is not None:
            return groups
    drawn = distributions.attribute(instance, name)
    if drawn is not None:
        return drawn
    if isinstance(instance.of, str) and name in instance.arguments:
        return instance.arguments[name]
    if name == "_fields" and isinstance(instance.of, Class) and "namedtuple" in instance.of.marks:
        return machine.adopt(Container("tuple", map(Known, fields_of(instance.of))))
    return Method(owner, name)


def _externals(instance: Instance) -> Sequence[str]:
    """The classes outside the project that an object is of."""
    return (instance.of,) if isinstance(instance.of, str) else instance.of.externals


def _device(machine: Machine, instance: Instance) -> Device | None:
    """The `.device` of an object of a class outside the project."""
    names = _externals(instance)
    if methods.PLACERS & set(names):
        return machine.accelerator
    if state.is_module(instance):
        stands = state.placement(instance)
        is_read = all(each.startswith("torch.") for each in names) and not is_opaque(instance)
        if stands is not None and not is_read:
            return stands.device
    return None


def element(
    machine: Machine, instance: Instance, indices: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """`instance[index]` of an object of a class outside the project."""
    key = indices[0].value if indices else TOP
    if is_dict(instance):
        await_registration(machine, instance, key)
    if isinstance(key, Known) and key.value in instance.cells:
        return instance.cells[key.value]
    if isinstance(instance.of, Class) and "namedtuple" in instance.of.marks:
        return _field(instance, instance.of, key)
    names = _externals(instance)
    if data.is_dataset(names):
        return data.element_of(machine, Reference(instance), frame, node)
    return TOP


def _field(record: Instance, of: Class, key: Value) -> Value:
    """`record[position]` of a named tuple."""
    fields = [record.cells.get(name, TOP) for name in fields_of(of)]
    if isinstance(key, Known) and isinstance(key.value, int) and -len(fields) <= key.value < len(fields):
        return fields[key.value]
    return join_all(fields) if fields else TOP
