"""Modules that are used without being registered: stored in plain containers, or created in each call."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import (
    CPU,
    UNKNOWN,
    Confidence,
    Device,
    Kind,
    Operand,
    Registration,
    RegistrationKind,
    Relation,
    SiteId,
    compare,
)
from devlint.source.machine.domain.inputs import bases
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Reference, Tensor, Union, alternatives, changed
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.modules import state
from devlint.source.machine.modules.layers import HOLDERS_OF_PARAMETERS

_DIFFERENT = (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)


def leave_behind(machine: Machine, module: Instance, device: Device, confidence: Confidence) -> None:
    """Record that a module is moved: tensors in plain containers of it, or of its parts, are not.

    Those of which the parameters have been asked for move with a list of parameters that the module keeps.
    """
    if not machine.asks_for(RegistrationKind.PLAIN_CONTAINER):
        return
    known, taken = state.modules(module), machine.process.facts.taken
    keeps_parameters = any(each.class_name in HOLDERS_OF_PARAMETERS for each in known)
    for owner in known:
        for event, kept in _contained(machine, owner):
            for each in kept:
                stands = state.placement(each)
                apart = stands is not None and compare(stands.device, device) in _DIFFERENT
                if apart and keeps_parameters and id(each) in taken:
                    state.place(machine, each, device, least_sure(confidence, Confidence.LIKELY))
                elif apart and each not in known:
                    sure = least_sure(event.confidence, confidence)
                    left = _changed(event, sure)
                    for part in state.modules(each):
                        part.left_out = left


def leave_unregistered(machine: Machine, module: Instance) -> None:
    """Record that a module is moved: tensors that its constructor has computed from arguments, and keeps
    without registering them, are not. Arguments of a constructor are possibly on the host."""
    for owner in state.modules(module):
        for name, held in list(owner.cells.items()):
            if isinstance(held, Tensor) and held.device == UNKNOWN and _is_of_tensor(held):
                machine.store.write(owner, name, changed(held, device=CPU, confidence=Confidence.POSSIBLE))


def _is_of_tensor(computed: Tensor) -> bool:
    """Whether a value was computed from an argument that is shown to be a tensor."""
    return computed.source is not None and any(each.evident for each in bases(computed.source))


def take_parameters(machine: Machine, module: Instance) -> None:
    """Record that the parameters of a module are requested: those of modules in its plain containers are not
    included, and have to be requested separately."""
    if not machine.asks_for(RegistrationKind.PLAIN_CONTAINER):
        return
    known = state.modules(module)
    facts = machine.process.facts
    facts.requests.append(module)
    facts.taken.update({id(each): each for each in known})
    own = {each.serial for each in state.tensors(module)}
    for owner in known:
        for event, kept in _contained(machine, owner):
            apart = [each for each in kept if each not in known and _has_others(each, own)]
            # If some of them are registered too, the module has selected those deliberately.
            if apart and len(apart) == len(kept):
                facts.untaken.append((event, apart))


def _has_others(module: Instance, known: set[int]) -> bool:
    """Whether a module has parameters or buffers besides those that are known by their serial numbers: one
    that holds its owner may have none."""
    return any(each.serial not in known for each in state.tensors(module))


def settle(machine: Machine) -> None:
    """Record the containers whose modules' parameters were never requested, though those of the owner were. A
    forward that moves its module may store it there to exclude it from training."""
    facts = machine.process.facts
    for event, apart in facts.untaken:
        if any(id(each) not in facts.taken for each in apart):
            hidden = all(each.made in facts.moved_in_use for each in apart)
            machine.note(_changed(event, Confidence.POSSIBLE) if hidden else event)


def note_use(machine: Machine, module: Instance) -> None:
    """Record the use of a module that its owner has not registered."""
    if module.left_out is not None:
        machine.note(module.left_out)


def note_moved(machine: Machine, module: Instance) -> None:
    """Record a module that a forward itself moves."""
    function = machine.frame.function
    if function is not None and is_forward(function):
        machine.process.facts.moved_in_use.add(module.made)


def _contained(machine: Machine, owner: Instance) -> Iterator[tuple[Registration, list[Instance]]]:
    """The plain containers of unregistered modules of an object, with their modules.

    An object with its own `_apply` moves in its own way, and returns parameters as it likes. One that has
    registered so many modules that they are not known may have registered these.
    """
    if machine.method_of(Reference(owner), "_apply") is not None:
        return
    if any(each.stands_for_many for each in state.modules(owner)):
        return
    for name, held in owner.cells.items():
        for each in alternatives(held):
            if isinstance(each, Reference) and isinstance(each.target, Container) and isinstance(name, str):
                kept = list(_modules_in(each.target))
                if kept and each.target.kept is not None:
                    yield _of_container(owner, name, each.target.kept, kept[0]), kept


def _modules_in(held: Container) -> Iterator[Instance]:
    for each in held.cells.values():
        for one in each.alternatives if isinstance(each, Union) else (each,):
            if isinstance(one, Reference) and isinstance(one.target, Container):
                yield from _modules_in(one.target)
            module = state.module_of(one)
            if module is not None:
                yield module


def _of_container(owner: Instance, name: str, site: SiteId, first: Instance) -> Registration:
    stands = state.placement(first)
    device = UNKNOWN if stands is None else stands.device
    return Registration(
        site,
        None,
        Confidence.CERTAIN,
        owner.class_name,
        name,
        RegistrationKind.PLAIN_CONTAINER,
        Operand(f"self.{name}", site, device, Kind.CONTAINER),
        statement=site,
    )


def _changed(event: Registration, confidence: Confidence) -> Registration:
    return Registration(
        event.site, None, confidence, event.module, event.attribute, event.kind, event.operand,
        statement=event.statement,
    )  # fmt: skip


def note_built(machine: Machine, layer: Instance, name: str, device: Device, site: SiteId) -> None:
    """Record a layer with parameters that the forward of a module creates in each call."""
    function = machine.frame.function
    if function is None or not machine.asks_for(RegistrationKind.BUILT_IN_FORWARD):
        return
    if is_forward(function) and function.owner is not None:
        shown = Operand(name.removeprefix("torch."), site, device, Kind.MODULE)
        layer.left_out = Registration(
            site,
            None,
            machine.root_confidence,
            function.owner.name,
            "",
            RegistrationKind.BUILT_IN_FORWARD,
            shown,
        )


def is_forward(function: Function) -> bool:
    """Whether a function is called by calling a module."""
    owner = function.owner
    return (
        function.name == "forward" and isinstance(owner, Class) and any(map(is_module_class, owner.externals))
    )
