"""What a constructor leaves behind: the attributes that the other methods of a class find."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from devlint.model import CPU, UNKNOWN, Device, SiteId, Step, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.modules.instances import is_own, kept_under, map_fields
from devlint.source.flow.modules.layers import is_module_class
from devlint.source.flow.modules.modules import registered
from devlint.source.flow.modules.moved_modules import with_modules
from devlint.source.flow.modules.new_modules import made_on
from devlint.source.flow.operators.places import fixed
from devlint.source.flow.state.class_info import CONSTRUCTOR, OWN_MOVES, ClassInfo
from devlint.source.flow.state.frame import OF_SELF, Frame
from devlint.source.flow.state.lattice import join_all, map_devices
from devlint.source.flow.state.values import (
    PARAMETER_MAKERS,
    TOP,
    Alternatives,
    Container,
    DeviceValue,
    Instance,
    Literal,
    Module,
    Tensor,
    Value,
)
from devlint.source.walk import assigned_names, bound_names, path, walk


def builds_layers(info: ClassInfo, resolve: Callable[[str], str]) -> bool:
    """Whether the constructor makes layers of `torch.nn` or registers state."""
    constructor = info.methods.get(CONSTRUCTOR)
    if constructor is None:
        return False
    for node in walk(constructor.body):
        if isinstance(node, ir.Call):
            name = path(node.function)
            if name in {"self.register_buffer", "self.register_parameter"}:
                return True
            if name and is_module_class(resolve(name)):
                return True
    return False


def is_record(info: ClassInfo, resolve: Callable[[str], str]) -> bool:
    """Whether a class is made of the fields that its body states, and keeps what it is given."""
    named = (path(each.function if isinstance(each, ir.Call) else each) for each in info.node.decorators)
    return "typing.NamedTuple" in info.outside or any((resolve(name) or name) in _RECORDS for name in named)


_RECORDS = frozenset({"dataclasses.dataclass", "dataclass", "attr.s", "attrs.define", "attr.define"})
"""Decorators that write a constructor for the fields."""


def binding_methods(info: ClassInfo) -> tuple[ir.Function, ...]:
    """The methods that set attributes: the constructor first. They are looked for once a class."""
    if info.binding is None:
        binding = (each for name, each in info.methods.items() if name != CONSTRUCTOR and _binds_self(each))
        constructor = info.methods.get(CONSTRUCTOR)
        info.binding = (*binding,) if constructor is None else (constructor, *binding)
    return info.binding


def _binds_self(function: ir.Function) -> bool:
    for node in walk(function.body, into_scopes=True):
        if isinstance(node, ir.Assign):
            targets = node.targets
        elif isinstance(node, ir.For):
            targets = (node.target,)
        elif isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute):
            targets = (node.function.value,) if node.function.name in GROWING else ()
        else:
            continue
        if any(name.startswith("self.") for name in bound_names(targets)):
            return True
    return False


def moving_methods(info: ClassInfo) -> list[ir.Function]:
    """The other methods of a class, if it is no module, that may move the modules that it keeps on the
    host."""
    held = info.attributes.items()
    kept = {f"self.{name}" for name, value in held if isinstance(value, Module) and value.device == CPU}
    if info.is_module or not kept:
        return []
    known = {id(function) for function in binding_methods(info)}
    return [each for each in info.methods.values() if id(each) not in known and _may_move(each, kept)]


def _may_move(function: ir.Function, names: Collection[str]) -> bool:
    """Whether a method moves what has one of these names, hands it to what may, or loops over it."""
    for node in walk(function.body, into_scopes=True):
        match node:
            case ir.Call(function=ir.Attribute(value=moved, name=name), arguments=arguments):
                given = [moved] if name in OWN_MOVES else []
                given += [argument.value for argument in arguments]
            case ir.Call(arguments=arguments):
                given = [argument.value for argument in arguments]
            case ir.Sequence(elements=elements):
                given = list(elements)
            case _:
                continue
        if any(path(each) in names for each in given):
            return True
    return False


GROWING = frozenset({"append", "appendleft", "extend", "insert", "setdefault"})
"""Methods that put something into a list or dictionary."""


def bound_by(frame: Frame) -> dict[str, Value]:
    """What a method has bound to attributes of `self`: the constructor at its end, others at any point.

    `self.x = nn.Parameter(self.x)` makes state of what was bound to the same name on the way to it.
    """
    if not frame.is_constructor:
        return {name: _parameter_or_any(values) for name, values in frame.assigned.items()}
    names = frame.environment.names
    return {
        name: (None if frame.environment.dead else names.get(f"self.{name}")) or _parameter_or_any(values)
        for name, values in frame.assigned.items()
    }


def _parameter_or_any(values: Sequence[Value]) -> Value:
    return values[-1] if _is_registered(values[-1]) else join_all(list(values))


def _is_registered(value: Value) -> bool:
    """Whether a value is a parameter or a buffer."""
    made = value.origin.last if isinstance(value, Tensor) else None
    return made is not None and made.operator in PARAMETER_MAKERS


def settle(info: ClassInfo, bound: Sequence[dict[str, Value]]) -> None:
    """Work out what the methods of a class find in its attributes, from what each method binds."""
    renamed = _names_of_parameters(bound)
    if CONSTRUCTOR in info.methods:
        names = _names_of_parameters(bound[:1])
        info.given = {name: device for device, name in names.items() if not is_own(device.name)}
    info.made_on = made_on(bound) if CONSTRUCTOR in info.methods else made_on(({}, *bound))
    own = {_made_at(value) for each in bound for value in each.values() if _is_parameter(value)}
    by_hand, by_own_move = info.moves_itself() or info.rewrites_itself(), _set_by_own_moves(info)
    _scatter(info)
    for name in dict.fromkeys(name for each in bound for name in each):
        rename = _renamer(renamed, name)
        values = [map_devices(each[name], rename) for each in bound if name in each]
        is_settled = len(values) == 1 and name not in info.own_names
        value = _by_then(_whichever(values))
        if info.is_module:
            value = _moving_along(value, own)
        if isinstance(value, Module) and value.device == CPU and not _is_made_early(info, name, bound):
            # By then the rest may have been moved, or what is made may be moved with it later.
            value = replace(value, device=UNKNOWN)
        if not info.is_module and isinstance(value, Container):
            value = with_modules(value, lambda _: UNKNOWN)
        kept = registered(_known_as(f"self.{name}" if is_settled else "", value), name, info)
        by_move = f"self.{name}" in by_own_move or _is_reached(info, name, kept)
        if (by_hand and (_stays_behind(kept) or by_move)) or _is_set_from_outside(info, name, kept):
            kept = TOP
        info.attributes[name] = fixed(kept_under(kept, f"self.{name}"), f"self.{name}")


def _is_set_from_outside(info: ClassInfo, name: str, kept: Value) -> bool:
    """Whether the file gives it another device on some object: `new.device = device`."""
    is_text = isinstance(kept, Literal) and isinstance(kept.value, str)
    is_plain = isinstance(kept, Tensor) and not _is_registered(kept)
    names_or_has_one = is_text or is_plain or isinstance(kept, DeviceValue)
    return names_or_has_one and info.home is not None and name in info.home.set_from_outside


def _by_then(value: Value) -> Value:
    """What another method finds: between the two, a program has had time to wait for a copy."""
    match value:
        case Tensor():
            return replace(value, download=None)
        case Container(element=element, items=items):
            held = items and tuple((key, _by_then(item)) for key, item in items)
            return replace(value, element=_by_then(element), items=held)
        case _:
            return value


def _set_by_own_moves(info: ClassInfo) -> set[str]:
    """The attributes that a class that is no module sets where it moves itself."""
    if info.is_module:
        return set()
    found = (each.methods.get(name) for each in info.lineage() for name in OWN_MOVES)
    return {name for method in found if method is not None for name in assigned_names(method.body)}


def _is_reached(info: ClassInfo, name: str, kept: Value) -> bool:
    """Whether it is a tensor that a class that is no module may move, whichever way it goes over its own."""
    return not info.is_module and isinstance(kept, Tensor) and info.may_move(name)


def _is_parameter(value: Value) -> TypeGuard[Tensor]:
    """Whether it is a parameter of a module itself, which moves in place."""
    first = value.origin.first if isinstance(value, Tensor) and value.untouched else None
    return first is not None and first.step is Step.MADE


def _is_made_early(info: ClassInfo, attribute: str, bound: Sequence[Mapping[str, Value]]) -> bool:
    """Whether a module is made when the object is that keeps it: by a constructor, or by what it calls."""
    return any(
        isinstance(names.get(attribute), Module) and _makes(info, method.name)
        for method, names in zip(binding_methods(info), bound, strict=False)
    )


def _makes(info: ClassInfo, method: str) -> bool:
    """Whether a method is the constructor, or called by it. A class without one is part of another that has
    one."""
    if method == CONSTRUCTOR:
        return True
    if info.made_by is None:
        info.made_by = _called_by_constructor(info)
    return method in info.made_by


def _called_by_constructor(info: ClassInfo) -> frozenset[str]:
    called: set[str] = set()
    waiting = {CONSTRUCTOR}
    while waiting:
        called |= waiting
        bodies = [
            base.methods[name].body for base in info.lineage() for name in waiting if name in base.methods
        ]
        calls = (
            node for body in bodies for node in walk(body, into_scopes=True) if isinstance(node, ir.Call)
        )
        waiting = {path(node.function).removeprefix("self.") for node in calls} - called
    return frozenset(called)


def _made_at(parameter: Tensor) -> SiteId | None:
    """The call that made a parameter of a tensor."""
    return next((step.site for step in parameter.origin.steps if step.operator in PARAMETER_MAKERS), None)


def _moving_along(value: Value, own: Collection[SiteId | None]) -> Value:
    """What a module keeps of its own parameters, under other names, in a list, or in another object, lies
    where it does. A parameter that it keeps in a list alone is left behind."""
    match value:
        case Tensor() if _is_parameter(value) and not _is_registered(value):
            return Tensor(OF_SELF, rank0=value.rank0)
        case Container(element=element, items=items):
            held = items and tuple((key, _moving_inside(item, own)) for key, item in items)
            return replace(value, element=_moving_inside(element, own), items=held)
        case Instance():
            return map_fields(value, lambda field: _moving_inside(field, own))
        case _:
            return value


def _moving_inside(value: Value, own: Collection[SiteId | None]) -> Value:
    if isinstance(value, Module):
        return value
    if _is_parameter(value) and (_made_at(value) in own or not _is_registered(value)):
        return Tensor(OF_SELF, rank0=value.rank0)
    return value if isinstance(value, Tensor) else _moving_along(value, own)


def _scatter(info: ClassInfo) -> None:
    """A module that the class itself keeps for all objects is where they put its parts."""
    kept = {name: v for name, v in info.attributes.items() if isinstance(v, Module) and v.device == CPU}
    if not kept:
        return
    changed = {name for method in info.methods.values() for name in assigned_names(method.body)}
    for name, value in kept.items():
        if any(each.startswith(f"self.{name}.") for each in changed):
            info.attributes[name] = replace(value, device=UNKNOWN)


def _known_as(name: str, value: Value) -> Value:
    """A value as other methods know it, to which what it was called where it was bound means nothing.

    Without a name, or inside a container, no expression gives its device.
    """
    match value:
        case Tensor():
            return replace(value, anchor=f"{name}.device" if name and not value.optional else "")
        case Alternatives(tensors=tensors):
            return Alternatives(tuple(replace(tensor, anchor="") for tensor in tensors))
        case Module():
            return replace(value, anchor="")
        case Container(items=items, element=element):
            held = items and tuple((key, _known_as("", item)) for key, item in items)
            return replace(value, element=_known_as("", element), items=held)
        case _:
            return value


def _stays_behind(kept: Value) -> bool:
    """Whether it is a tensor, or holds one, that `nn.Module` would not move."""
    held = [kept.element, *(item for _, item in kept.items or ())] if isinstance(kept, Container) else [kept]
    return any(isinstance(value, Tensor) and value.attribute for value in held)


def _whichever(values: Sequence[Value]) -> Value:
    """What an attribute holds that several methods set: which one came last cannot be told.

    On the CPU after one and on an accelerator after another is no choice that the machine decides. What one
    method registers stays so: a parameter gives its place to a parameter only, and a buffer's to any tensor,
    wherever that is.
    """
    registered_once = next((value for value in values if _is_registered(value)), None)
    if registered_once is not None and any(_may_be_elsewhere(v) for v in values if not _is_registered(v)):
        return TOP
    if registered_once is not None and all(isinstance(value, Tensor) for value in values):
        return registered_once
    joined = join_all(list(values))
    if len(values) > 1:
        joined = _without_alternatives(joined)
    devices = {value.device for value in values if isinstance(value, Tensor | Module | DeviceValue)}
    if isinstance(joined, Tensor | Module | DeviceValue) and joined.device not in devices:
        return replace(joined, device=UNKNOWN)
    return joined


def _may_be_elsewhere(value: Value) -> bool:
    """Whether a value lies where a method was given something, or nobody knows where."""
    if isinstance(value, Tensor):
        return value.device == UNKNOWN or _is_of_tensor(value.device)
    return value == TOP or isinstance(value, Alternatives)


def _is_of_tensor(device: Device) -> bool:
    return isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR


def _without_alternatives(value: Value) -> Value:
    """A value of which nothing is said where it may be one thing or the other."""
    match value:
        case Alternatives():
            return TOP
        case Container(element=element, items=items):
            held = items and tuple((key, _without_alternatives(item)) for key, item in items)
            return replace(value, element=_without_alternatives(element), items=held)
        case _:
            return value


def _renamer(renamed: Mapping[Symbol, Symbol], name: str) -> Callable[[Device], Device]:
    """A parameter's device is, for the other methods, that of the attribute that keeps it."""

    def rename(device: Device) -> Device:
        if not isinstance(device, Symbol) or device.name.startswith("self"):
            return device
        return renamed.get(device, Symbol(f"self.{name}", device.kind))

    return rename


def _names_of_parameters(bound: Sequence[dict[str, Value]]) -> dict[Symbol, Symbol]:
    """The attribute that holds a device gives its name before one that holds a tensor on it."""
    renamed: dict[Symbol, Symbol] = {}
    for kind, type_ in ((SymbolKind.DEVICE, DeviceValue), (SymbolKind.TENSOR, Tensor)):
        for name, value in ((name, value) for each in bound for name, value in each.items()):
            if isinstance(value, type_) and isinstance(value.device, Symbol):
                renamed.setdefault(value.device, Symbol(f"self.{name}", kind))
    return renamed
