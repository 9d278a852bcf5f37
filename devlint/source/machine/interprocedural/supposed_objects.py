"""Objects of hypotheses, created with unknown arguments."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from devlint.model import UNKNOWN, Confidence, Device, SiteId, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, placed
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    OF_SELF,
    DeviceValue,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.classes import class_lookup, fields_of
from devlint.source.machine.heap.files import Class, Function, Scope
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.interprocedural.supposed_arguments import arguments
from devlint.source.machine.library import external_objects
from devlint.source.machine.library.optimizers import is_optimizer
from devlint.source.walk import walk


def constructed(machine: AbstractMachine, made: Class) -> Reference:
    """An object created with unknown arguments, except for their defaults."""
    site = SiteId(made.file.base + made.node.id)
    instance = Instance(made, site)
    reference = machine.adopt(instance)
    initializer, _ = class_lookup(made, "__init__")
    if isinstance(initializer, Reference) and isinstance(initializer.target, Function):
        function = initializer.target
        scope = arguments(machine, function, UNKNOWN, Confidence.POSSIBLE, receiver=reference)
        if is_optimizer(made.externals):
            _give_parameters(machine, function, scope)
        if made.metaclass is None:
            machine.followed(function, scope, site)
        else:
            instance = _made_by_metaclass(machine, made, function, scope) or instance
    elif is_optimizer(made.externals):
        _construct_optimizer(machine, made, instance)
    else:
        for name in fields_of(made):
            machine.store.write(instance, name, Input(name, UNKNOWN, Confidence.POSSIBLE))
    _call_own(machine, instance)
    return Reference(instance)


def _give_parameters(machine: AbstractMachine, initializer: Function, scope: Scope) -> None:
    """Give an optimizer what it hands to its base as parameters."""
    name = _handed_on(initializer)
    if name in scope.cells:
        scope.cells[name] = _parameters(machine, name)


def _parameters(machine: AbstractMachine, name: str) -> Reference:
    """The parameters of a module on an accelerator."""
    device = Symbol(name, SymbolKind.TENSOR)
    parameter = Tensor(
        device,
        role="parameter",
        floating=True,
        rank0=False,
        confidence=Confidence.LIKELY,
        serial=new_serial(),
    )
    return machine.adopt(Container("list", element=parameter))


def _construct_optimizer(machine: AbstractMachine, made: Class, instance: Instance) -> None:
    """Create an optimizer as its base outside the project does, which is given parameters."""
    name = ir.Name(made.node.id, made.name)
    frame = Frame(made.file, made.file.scope)
    passed = Passed(_parameters(machine, "params"), name, frame.site(name), "params")
    external_objects.construct(machine, instance, Call([passed], frame, name))


def _handed_on(initializer: Function) -> str:
    """The name that is the first argument of `super().__init__(…)`; empty if there is none."""
    for each in walk((initializer.node,), into_scopes=True):
        match each:
            case ir.CallExpression(
                function=ir.Attribute(
                    name="__init__", value=ir.CallExpression(function=ir.Name(name="super"))
                ),
                arguments=(ir.Argument(value=ir.Name(name=name)), *_),
            ):
                return name
    return ""


def _made_by_metaclass(
    machine: AbstractMachine, made: Class, initializer: Function, scope: Scope
) -> Instance | None:
    """Create an object whose class has a metaclass that takes part in that."""
    name = ir.Name(made.node.id, made.name)
    frame = Frame(made.file, made.file.scope)
    named = [each.name for each in initializer.node.parameters[1:] if not each.stars]
    passed = [Passed(scope.cells[each], name, frame.site(name), each) for each in named]
    held = machine.call(Reference(made), Call(passed, frame, name))
    target = held.target if isinstance(held, Reference) else None
    return target if isinstance(target, Instance) else None


def _call_own(machine: AbstractMachine, instance: Instance) -> None:
    """Rename the constructor's inputs to attributes of the object, because arguments of methods with the same
    names may differ."""
    owned: dict[Device, Device] = {}
    inputs: dict[Input, Input] = {}
    for name, held in list(instance.cells.items()):
        own = f"{OF_SELF}{name}"
        if isinstance(held, DeviceValue) and isinstance(held.device, Symbol):
            owned[held.device] = Symbol(own, SymbolKind.MODULE)
            machine.store.write(instance, name, changed(held, device=owned[held.device], text=own))
        elif isinstance(held, Input) and held.device == UNKNOWN and not held.evident:
            owned[Symbol(held.name, SymbolKind.DEVICE)] = Symbol(own, SymbolKind.MODULE)
            inputs[held] = Input(own, UNKNOWN, held.confidence)
            inputs[held].computed_with = held.computed_with
            machine.assigned.admit(inputs[held], held)
            machine.store.write(instance, name, inputs[held])
    for each in _parts(instance) if owned else ():
        for key, held in list(each.cells.items()):
            after = _of_owner(held, owned, inputs)
            if after is not held:
                machine.store.write(each, key, after)


def _of_owner(held: Value, owned: Mapping[Device, Device], inputs: Mapping[Input, Input]) -> Value:
    """A value of an object with its inputs renamed."""
    match held:
        case Tensor(device=device) if device in owned:
            return changed(held, device=owned[device])
        case DeviceValue(device=device) if device in owned:
            return changed(held, device=owned[device])
        case Input():
            own = inputs.get(held, held)
            return placed(own, owned[own.device], own.confidence, own.born) if own.device in owned else own
        case Union(alternatives=members):
            after = [_of_owner(each, owned, inputs) for each in members]
            return held if all(map(operator.is_, after, members)) else join_all(after)
        case _:
            return held


def _parts(instance: Instance) -> Iterable[Object]:
    """The object and all objects reachable from it."""
    found: dict[Object, None] = {}
    left: list[Object] = [instance]
    while left:
        each = left.pop()
        if each not in found:
            found[each] = None
            left += [
                held.target
                for held in each.cells.values()
                if isinstance(held, Reference) and isinstance(held.target, (Instance, Container))
            ]
    return found
