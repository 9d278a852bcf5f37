"""Assignments to attributes: `owner.name = value`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Reference, Tensor, Union, Value
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import Instance, ModuleFile
from devlint.source.machine.library import optimizers
from devlint.source.machine.modules import assignment, state
from devlint.source.machine.modules.parts import assigned_part
from devlint.source.machine.operators.gradients import SETTINGS, ask_for_gradient
from devlint.source.machine.transfer.attributes_of_inputs import assign
from devlint.source.machine.transfer.interpreter import Interpreter


def set_attribute(
    machine: Interpreter, owner: Value, name: str, held: Value, frame: Frame, node: ir.Expression
) -> None:
    """`owner.name = held`; `node` is the expression of the value."""
    if isinstance(owner, Union):
        for each in owner.alternatives:
            set_attribute(machine, each, name, held, frame, node)
        return
    if isinstance(owner, Tensor) and name in SETTINGS:
        ask_for_gradient(machine, owner)
    if isinstance(owner, Input):
        assign(machine, owner, name, held)
    if not isinstance(owner, Reference):
        return
    target = owner.target
    if isinstance(target, Instance):
        _set_on_instance(machine, target, owner, name, held, frame, node)
    elif isinstance(target, ModuleFile):
        machine.store.write(target.file.scope, name, held)
    else:
        machine.store.write(target, name, held)


def _set_on_instance(
    machine: Interpreter,
    instance: Instance,
    owner: Value,
    name: str,
    held: Value,
    frame: Frame,
    node: ir.Expression,
) -> None:
    found, _ = class_lookup(instance.of, name)
    function = found.target if isinstance(found, Reference) else None
    if isinstance(function, Function) and "property" in function.marks:
        setter = function.cells.get("setter")
        if isinstance(setter, Reference) and isinstance(setter.target, Function):
            passed = [Passed(held, node, frame.site(node))]
            machine.call_function(setter.target, Call(passed, frame, node), receiver=owner)
        return
    if name == "__dict__":
        _set_attributes(machine, instance, held)
        return
    if optimizers.keeps_groups(instance, name, held):
        return
    if not state.is_module(instance):
        machine.store.write(instance, name, held)
        return
    statement = frame.statement
    site = frame.site(node if statement is None else statement)
    held = assigned_part(machine, held)
    assignment.set_attribute(machine, instance, name, held, site, frame.site(node))


def _set_attributes(machine: Interpreter, instance: Instance, held: Value) -> None:
    """`self.__dict__ = held`, where the object that derives from `dict` may itself be held."""
    contents = held.target.cells if isinstance(held, Reference) else {}
    for key, each in contents.items() if contents is not instance.cells else ():
        machine.store.write(instance, key, each)
