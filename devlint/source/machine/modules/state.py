"""A module's state: its parameters, buffers and submodules, their devices, and their moves."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import (
    CPU,
    UNKNOWN,
    Confidence,
    Device,
    Kind,
    Operand,
    Origin,
    OriginStep,
    RegistrationKind,
    SiteId,
    Step,
)
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    Cells,
    DeviceValue,
    Object,
    Reference,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.derived import by_runs, derived
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_module_class, may_be_module_class
from devlint.source.machine.heap.objects import Container, Instance, Mover
from devlint.source.machine.modules.layers import UNKNOWN_MODULE
from devlint.source.walk import text

PARAMETERS = "<parameters>"
"""The cell that represents all parameters and buffers of a layer of torch."""
REGISTERED = frozenset({"parameter", "buffer"})


def is_module(held: Object) -> bool:
    """Whether an object is an `nn.Module`."""
    if not isinstance(held, Instance):
        return False
    if isinstance(held.of, str):
        return is_module_class(held.of)
    return any(map(is_module_class, held.of.externals))


def may_be_module(held: Instance) -> bool:
    """Whether an object that holds modules may be a module, because its class derives from one of a library
    whose source is not read."""
    return (
        not isinstance(held.of, str)
        and may_be_module_class(held.of.externals)
        and next(children(held), None) is not None
    )


def module_of(held: Value) -> Instance | None:
    """The module of a value."""
    if isinstance(held, Reference) and isinstance(held.target, Instance) and is_module(held.target):
        return held.target
    return None


def children(module: Instance) -> Iterator[tuple[object, Instance]]:
    """The submodules, by attribute."""
    for run in by_runs(module, _children):
        yield from run


def _children(cells: Cells) -> list[tuple[object, Instance]]:
    return [
        (name, child)
        for name, held in cells.items()
        for each in (held.alternatives if isinstance(held, Union) else (held,))
        if (child := module_of(each)) is not None
    ]


def tensors(module: Instance) -> list[Tensor]:
    """The parameters and buffers of a module and of its submodules."""
    return [each for part in modules(module) for each in derived(part, _own_tensors)]


def _own_tensors(module: Object) -> list[Tensor]:
    return [
        each
        for held in module.cells.values()
        for each in alternatives(held)
        if isinstance(each, Tensor) and each.role in REGISTERED
    ]


def modules(module: Instance) -> tuple[Instance, ...]:
    """A module and all its submodules, each once."""
    return derived(module, _modules)


def _modules(module: Object) -> tuple[Instance, ...]:
    assert isinstance(module, Instance)
    seen: dict[Instance, None] = {}
    waiting = [module]
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen[each] = None
            waiting += [child for _, child in children(each)][::-1]
    return tuple(seen)


def place(machine: Machine, module: Instance, device: Device, confidence: Confidence) -> None:
    """Put a module's parameters and buffers on a device by hypothesis, which is not a move of the program."""
    _carry_with_aliases(machine, module, Mover(DeviceValue(device, confidence=confidence), module.made, ""))


def doubt(machine: Machine, module: Instance) -> None:
    """Forget the devices of what a module has not moved itself: its user may have moved it."""
    for each in modules(module):
        for key, held in list(each.cells.items()):
            if isinstance(held, Tensor) and held.role in REGISTERED and not held.origin.was_moved:
                machine.store.write(each, key, changed(held, device=UNKNOWN))


def doubt_registered(machine: Machine, module: Instance, before: Cells) -> None:
    """Doubt the devices of the parameters and buffers that a method has registered and left where it made
    them: they move with the module if it is moved after that call."""
    for key, held in list(module.cells.items()):
        if not isinstance(held, Tensor) or held.role not in REGISTERED or held is before.get(key):
            continue
        if not held.origin.was_moved:
            machine.store.write(module, key, changed(held, confidence=Confidence.POSSIBLE))


def placement(module: Instance) -> Tensor | None:
    """One parameter that represents all: on an unknown device if they are on several; None if there are
    none."""
    return derived(module, _placement)


def _placement(module: Object) -> Tensor | None:
    assert isinstance(module, Instance)
    found: Tensor | None = None
    for each in tensors(module):
        if found is None:
            found = each
        elif found.device != each.device:
            return changed(found, device=UNKNOWN)
    return found


def moved_on_a_path(module: Instance) -> Tensor | None:
    """One parameter that represents all, if one path moves them from the host to an accelerator, and another
    one does not: the first one is likely."""
    found: Tensor | None = None
    for held in (held for part in modules(module) for held in part.cells.values()):
        several = [
            each for each in alternatives(held) if isinstance(each, Tensor) and each.role in REGISTERED
        ]
        moved = {each.device for each in several if each.device != CPU}
        if several and (len(several) != 2 or len(moved) != 1 or (found and {found.device} != moved)):
            return None
        found = next((each for each in several if each.device != CPU), found)
    if found is None or found.device == UNKNOWN:
        return None
    return changed(found, confidence=least_sure(found.confidence, Confidence.LIKELY))


def move(machine: Machine, module: Instance, place: DeviceValue, site: SiteId, name: str) -> None:
    """Move a module's parameters and buffers, and those of its submodules, in place."""
    _carry_with_aliases(machine, module, Mover(place, site, name))


def _carry_with_aliases(machine: Machine, module: Instance, mover: Mover) -> None:
    """Move a module's tensors, and the moved parameters wherever its objects hold them: torch replaces the
    data of a parameter, which stays the same object."""
    carry(machine, module, mover)
    if not mover.parameters:
        return
    for held_by in _reached(module):
        for key, held in list(held_by.cells.items()):
            several = alternatives(held)
            if any(_parameter(each) in mover.parameters for each in several):
                after = join_all(mover.parameters.get(_parameter(each), each) for each in several)
                machine.store.write(held_by, key, after)


def _parameter(held: Value) -> int | None:
    """The serial number of a parameter; None of another value."""
    return held.serial if isinstance(held, Tensor) and held.role == "parameter" else None


def _reached(module: Instance) -> Iterator[Object]:
    """The objects and containers that the cells of a module reach, the module included."""
    seen: set[Object] = {module}
    waiting: list[Object] = [module]
    while waiting:
        each = waiting.pop()
        yield each
        for held in each.cells.values():
            targets = [one.target for one in alternatives(held) if isinstance(one, Reference)]
            fresh = [one for one in targets if one not in seen and isinstance(one, (Instance, Container))]
            waiting += fresh
            seen.update(fresh)


def carry(machine: Machine, module: Instance, mover: Mover) -> None:
    """Let a module apply the function that moves its tensors, in its own way if its class defines one."""
    if module in mover.met:
        return
    mover.met.add(module)
    own = machine.method_of(Reference(module), "_apply")
    if own is not None:
        frame = machine.frame
        node = ir.Name(SiteId(mover.site - frame.file.base), mover.name)
        machine.call(own, Call([Passed(Reference(mover), node, mover.site)], frame, node))
    # A class with its own `_apply` is assumed to move all tensors, even those that it does not seem to move.
    carry_own(machine, module, mover)


def _carried(held: Tensor, mover: Mover) -> Value:
    """A tensor of a module after a move of the module: an unregistered one stays where it was."""
    if held.role in REGISTERED:
        after = moved(held, mover)
        if held.role == "parameter" and isinstance(after, Tensor):
            mover.parameters[held.serial] = after
        return after
    return held if held.left_behind else changed(held, left_behind=True)


def carry_own(machine: Machine, module: Instance, mover: Mover) -> None:
    """The behavior of torch's modules: move the parameters and buffers, and apply the function to the
    submodules."""
    if module in mover.moved:
        return
    mover.moved.add(module)
    is_left_out = module.left_out is not None and module.left_out.kind is RegistrationKind.PLAIN_CONTAINER
    if mover.name and is_left_out:
        module.left_out = None
    if mover.name and _may_hold_unknown_parameters(module):
        machine.store.write(module, PARAMETERS, parameters_of_unknown(mover.place, mover.site, mover.name))
    for key, held in list(module.cells.items()):
        if isinstance(held, Tensor):
            machine.store.write(module, key, _carried(held, mover))
        elif isinstance(held, Union):
            several = join_all(
                _carried(each, mover) if isinstance(each, Tensor) else each for each in held.alternatives
            )
            machine.store.write(module, key, several)
    for _, child in list(children(module)):
        carry(machine, child, mover)
    _carry_assigned(machine, module, mover)


def _carry_assigned(machine: Machine, module: Instance, mover: Mover) -> None:
    """Move what the program has assigned to attributes of unknown parts of a module: what is assigned a
    module or a parameter is most likely a module that registers it."""
    for held in list(module.cells.values()):
        inputs = [each for each in alternatives(held) if isinstance(each, Input)]
        for assigned in filter(None, map(machine.assigned.of, inputs)):
            for key, part in list(assigned.cells.items()):
                child = module_of(part)
                if child is not None:
                    carry(machine, child, mover)
                elif isinstance(part, Tensor) and part.role in REGISTERED:
                    machine.store.write(assigned, key, _carried(part, mover))


def _may_hold_unknown_parameters(module: Instance) -> bool:
    """Whether nothing is known of a module's parameters: of those of a class that is not read, or of one of
    the project that has none itself, but attributes of which nothing is known."""
    if PARAMETERS in module.cells:
        return False
    if module.of == UNKNOWN_MODULE:
        return True
    return placement(module) is None and any(isinstance(each, Top) for each in module.cells.values())


def parameters_of_unknown(place: DeviceValue, site: SiteId, name: str) -> Tensor:
    """The parameters of a module of which nothing is known, after a move: it is likely that there are any."""
    step = OriginStep(Step.MOVED, site, place.device, name)
    confidence = least_sure(place.confidence, Confidence.LIKELY)
    return Tensor(
        place.device, Origin((step,)), role="parameter", confidence=confidence, rank0=False, floating=True
    )


def moved(held: Value, mover: Mover) -> Value:
    """A tensor after a move."""
    if isinstance(held, Union):
        return Union(tuple(moved(each, mover) for each in held.alternatives))
    tensor = tensor_of(held)
    if tensor is None:
        return held
    place = mover.place
    if not mover.name:
        return changed(tensor, device=place.device, confidence=place.confidence)
    step = OriginStep(Step.MOVED, mover.site, place.device, mover.name)
    return changed(
        tensor,
        device=place.device,
        origin=tensor.origin.then(step),
        serial=new_serial(),
        confidence=place.confidence,
    )


def replace_data(machine: Machine, module: Instance, role: str, data: Tensor) -> None:
    """`for p in module.parameters(): p.data = data`: what a module has registered in a role is on the device
    of its new data."""
    for part in modules(module):
        for key, held in list(part.cells.items()):
            after = [
                changed(each, device=data.device, origin=data.origin, confidence=data.confidence)
                for each in alternatives(held)
                if isinstance(each, Tensor) and each.role == role
            ]
            if after:
                machine.store.write(part, key, join_all(after))


def copied(machine: Machine, held: Value, site: SiteId, memo: dict[int, Value] | None = None) -> Value:
    """`copy.deepcopy`: other objects with the same contents, each of which moves separately."""
    memo = {} if memo is None else memo
    if isinstance(held, Tensor):
        return changed(held, serial=new_serial())
    if isinstance(held, Input):
        return machine.assigned.copied(held)
    if not isinstance(held, Reference):
        return held
    known = memo.get(id(held.target))
    if known is not None:
        return known
    twin = blank_twin(held.target, site)
    if twin is None:
        return held
    reference = machine.adopt(twin)
    memo[id(held.target)] = reference
    for key, each in held.target.cells.items():
        machine.store.write(twin, key, copied(machine, each, site, memo))
    return reference


def blank_twin(original: Object, site: SiteId) -> Object | None:
    """An empty object of the same kind; None if there is none."""
    if isinstance(original, Instance):
        twin = Instance(original.of, site)
        twin.arguments = dict(original.arguments)
        return twin
    if isinstance(original, Container):
        return Container(original.kind)
    return None


def module_operand(module: Instance, passed: Passed, name: str = "") -> Operand:
    """A module in events: the device of its parameters, and the origin of that."""
    stands = placement(module)
    return Operand(
        path=name or text(passed.expression),
        site=passed.site,
        device=UNKNOWN if stands is None else stands.device,
        kind=Kind.MODULE,
        origin=Origin() if stands is None else stands.origin,
        parameter="self",
    )
