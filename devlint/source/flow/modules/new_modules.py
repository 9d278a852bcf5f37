"""Where a module just made has its parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from devlint.model import CPU, UNKNOWN, Device, Symbol, SymbolKind, parse_device
from devlint.source import ir
from devlint.source.flow.functions.summaries import bind_arguments, device_for
from devlint.source.flow.modules.forwards import moves_state_in_forward
from devlint.source.flow.modules.instances import is_own
from devlint.source.flow.modules.layers import (
    CLONES,
    CONTAINERS_OF_MODULES,
    HOLDERS_OF_PARAMETERS,
    STATEFUL,
    STATELESS,
    SWITCHES,
)
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.frame import OF_SELF, Passed
from devlint.source.flow.state.values import (
    NONE,
    PARAMETER_MAKERS,
    TOP,
    Alternatives,
    Container,
    DeviceValue,
    Literal,
    Module,
    Tensor,
    Value,
    as_device,
)
from devlint.source.walk import path, walk


def device_of_new(
    name: str, info: ClassInfo | None, passed: Sequence[Passed], default: Device
) -> tuple[Device, bool]:
    """Where a module just made has its parameters, and whether that is torch's default."""
    if info is not None:
        return _device_of_project_class(info, passed, default)
    if name in CONTAINERS_OF_MODULES | HOLDERS_OF_PARAMETERS:
        return _device_of_members(passed, default)
    if name in CLONES:
        return _device_of_members(passed[:1], default) if passed else (UNKNOWN, False)
    keyword = next((argument.value for argument in passed if argument.keyword == "device"), NONE)
    if keyword != NONE:
        place = as_device(keyword)
        return (place.device if place is not None else UNKNOWN), False
    if any(argument.stars == 2 for argument in passed):
        return UNKNOWN, False
    if has_state(name, passed):
        return default, True
    return _device_of_weights(passed), False


def is_stateful(name: str) -> bool:
    """Whether a layer of torch has parameters or buffers, as it is usually made."""
    return name in HOLDERS_OF_PARAMETERS or _is_layer_in(STATEFUL, name)


def _is_layer_in(table: frozenset[str], name: str) -> bool:
    head, _, last = name.rpartition(".")
    return head == "torch.nn" and last in table


def has_state(name: str, passed: Sequence[Passed]) -> bool:
    """Whether a layer of torch is known to have parameters or buffers as it is made here."""
    switches = [argument.value for argument in passed if argument.keyword in SWITCHES]
    if _is_layer_in(STATELESS, name):
        return any(value == Literal(value=True) for value in switches)
    return is_stateful(name) and all(value == Literal(value=True) for value in switches)


def lies_nowhere(module: Module) -> bool:
    """Whether it is a layer without parameters."""
    return module.device == UNKNOWN and _is_layer_in(STATELESS, module.name)


def _device_of_weights(passed: Sequence[Passed]) -> Device:
    """A layer without parameters lies nowhere, but for the weights that a loss is given."""
    for argument in passed:
        if argument.keyword in {"weight", "pos_weight"} and isinstance(argument.value, Tensor):
            return argument.value.device
    return UNKNOWN


def _device_of_members(passed: Sequence[Passed], default: Device) -> tuple[Device, bool]:
    """A container of modules has its parameters where its members have theirs."""
    if any(argument.stars == 2 for argument in passed):
        return UNKNOWN, False
    members = [argument.value for argument in passed]
    if len(members) == 1 and isinstance(members[0], Container):
        members = [members[0].element]
    if any(member == TOP or (isinstance(member, Tensor) and not member.evident) for member in members):
        return UNKNOWN, False
    devices = {
        member.device
        for member in members
        if isinstance(member, Tensor) or (isinstance(member, Module) and not lies_nowhere(member))
    }
    if len(devices) == 1:
        only = devices.pop()
        return only, only == default
    return (default, True) if not devices else (UNKNOWN, False)


def made_on(bound: Sequence[Mapping[str, Value]]) -> frozenset[Device]:
    """Where a class makes its parameters, buffers and parts, by what its methods bind, the constructor's
    first: in terms of its parameters."""
    by_constructor = {device for value in _bound_by(bound[:1]) for device in _devices_of(value)}
    by_others = {device for value in _bound_by(bound[1:]) for device in _devices_of(value)}
    return frozenset(by_constructor | {_unless_given(device) for device in by_others})


def _bound_by(bound: Sequence[Mapping[str, Value]]) -> Iterator[Value]:
    for each in bound:
        yield from each.values()


def _devices_of(value: Value) -> Iterator[Device]:
    """Where the state lies that an attribute of a module holds. A part that is given to the module was not
    made by it."""
    if isinstance(value, Tensor):
        last = value.origin.last
        if last is not None and last.operator in PARAMETER_MAKERS:
            yield value.device
    elif isinstance(value, Module) and value.device != OF_SELF and not lies_nowhere(value):
        yield value.device


def _unless_given(device: Device) -> Device:
    """A parameter of a method other than the constructor is not known when the module is made."""
    return UNKNOWN if isinstance(device, Symbol) and not is_own(device.name) else device


def _device_of_project_class(
    info: ClassInfo, passed: Sequence[Passed], default: Device
) -> tuple[Device, bool]:
    is_placed = any(_is_device(argument) for argument in passed)
    if not is_placed and any(argument.stars == 2 for argument in passed):
        return UNKNOWN, False
    if _places_itself(info) or not _holds_state(info, passed) or _is_given_tensors(passed):
        return UNKNOWN, False
    made = [(device, base) for base in info.lineage() for device in base.made_on]
    devices = {_for_arguments(device, base, info, passed) for device, base in made}
    known = devices - {UNKNOWN}
    if len(known) != 1:
        return UNKNOWN, False
    device = known.pop()
    if is_placed and not any(_is_of_device(place) for place, _ in made):
        # What becomes of the device that it is given is not seen.
        return UNKNOWN, False
    if UNKNOWN in devices and (is_placed or device != CPU):
        return UNKNOWN, False
    return (default, True) if device == CPU and not is_placed else (device, False)


def _is_of_device(device: Device) -> bool:
    return isinstance(device, Symbol) and device.kind is SymbolKind.DEVICE


def _for_arguments(device: Device, base: ClassInfo, info: ClassInfo, passed: Sequence[Passed]) -> Device:
    """A device in terms of a constructor's parameters, for these arguments. What a constructor gives to that
    of a base is not followed."""
    if not isinstance(device, Symbol):
        return device
    found = info.method(CONSTRUCTOR)
    wanted = base.given.get(device, device)
    if found is None or found[1] is not base or not isinstance(wanted, Symbol) or is_own(wanted.name):
        return UNKNOWN
    arguments = bind_arguments(found[0].parameters, passed, skip_first=True)
    return device_for(wanted, {name: argument.value for name, argument in arguments.items()})


def _is_device(argument: Passed) -> bool:
    """Whether an argument names a device."""
    if argument.value == NONE:
        return False
    if isinstance(argument.value, Literal):
        return isinstance(argument.value.value, str) and parse_device(argument.value.value) is not None
    names = (argument.keyword, path(argument.expression).rpartition(".")[2])
    return isinstance(argument.value, DeviceValue) or any(name.endswith("device") for name in names)


def _places_itself(info: ClassInfo) -> bool:
    """Whether a constructor may put parameters elsewhere than on the default device."""
    if info.moves_itself() or any(base.moved_by_constructor for base in info.lineage()):
        return True
    if moves_state_in_forward(info):
        return True
    return any(
        isinstance(value, Module) and _is_placed_by_others(value)
        for base in info.lineage()
        for value in base.attributes.values()
    )


def _is_placed_by_others(module: Module) -> bool:
    """Whether a part of a module was made elsewhere, or on a device of its own."""
    was_given = module.origin.first is not None
    return was_given or (module.device not in (OF_SELF, CPU) and not lies_nowhere(module))


def _holds_state(info: ClassInfo, passed: Sequence[Passed]) -> bool:
    """Whether a module of the file has parameters or buffers of its own, as far as the file shows. Where it
    has containers only, what they hold may be what the constructor is given."""
    held = [
        value
        for base in info.lineage()
        for value in base.attributes.values()
        if isinstance(value, Tensor | Module) and value.device == OF_SELF
    ]
    bare = all(isinstance(value, Module) and value.name in CONTAINERS_OF_MODULES for value in held)
    return bool(held) and not (bare and any(_may_be_modules(argument.value) for argument in passed))


def is_bare(info: ClassInfo) -> bool:
    """Whether a class of the project shows all that its constructor sets, and neither parameters nor parts
    that may have some are among it."""
    lineage = info.lineage()
    if not all(base.resolved and not base.unknown_base for base in lineage):
        return False
    held = {name: value for base in lineage for name, value in base.attributes.items()}
    is_known = all(base.attributes.keys() >= base.assignments.keys() for base in lineage)
    if not is_known or any(_may_have_state(value, is_used=False) for value in held.values()):
        return False
    used = set(_used_as_objects(tuple(method for base in lineage for method in base.methods.values())))
    return not any(_may_have_state(value, is_used=f"self.{name}" in used) for name, value in held.items())


def _used_as_objects(methods: ir.Block) -> Iterator[str]:
    """What is called, or asked for an attribute."""
    for node in walk(methods, into_scopes=True):
        match node:
            case ir.Call(function=used) | ir.Attribute(value=used):
                yield path(used)


def _may_have_state(value: Value, *, is_used: bool) -> bool:
    """Whether an attribute may be a parameter, a buffer, or a module that has some."""
    match value:
        case Module(info=None):
            return value.name in CONTAINERS_OF_MODULES or not lies_nowhere(value)
        case Module() | Alternatives():
            return True
        case Tensor(evident=evident):
            return evident or is_used
        case Container(element=element, items=items):
            held = (element, *(item for _, item in items or ()))
            return any(_may_have_state(each, is_used=is_used) for each in held)
        case _:
            return value == TOP


def _may_be_modules(value: Value) -> bool:
    """Whether an argument may be a module, or hold some."""
    unproven = isinstance(value, Tensor) and not value.evident
    return value == TOP or unproven or isinstance(value, Module | Container)


def _is_given_tensors(passed: Iterable[Passed]) -> bool:
    """Whether a constructor is given tensors, from which it may make the module's state where they are."""
    return any(
        isinstance(argument.value, Alternatives)
        or (isinstance(argument.value, Tensor) and argument.value.evident)
        for argument in passed
    )
