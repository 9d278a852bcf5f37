"""Objects of classes of the file, seen from outside: whose attributes they are, and where these lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from devlint.model import UNKNOWN, Device, Symbol, SymbolKind
from devlint.source.flow.state.values import (
    Alternatives,
    Container,
    DeviceValue,
    Generator,
    Instance,
    Module,
    Tensor,
    Value,
)

OWN = "self"


def seen_from_outside(value: Value, owner: Instance) -> Value:
    """What a class says of an attribute or result in terms of `self`, for one object of it."""
    return value if owner.owner == OWN else _renamed(value, owner)


def device_seen_from_outside(device: Device, owner: Instance) -> Device:
    """The device that a symbol of `self` stands for in one object."""
    if owner.owner == OWN or not isinstance(device, Symbol) or not is_own(device.name):
        return device
    name = device.name.removeprefix(OWN).lstrip(".")
    given = dict(owner.fields).get(name)
    if given is not None:
        return given.device if isinstance(given, Tensor | Module | DeviceValue | Generator) else UNKNOWN
    return Symbol(f"{owner.owner}.{name}".rstrip("."), device.kind) if owner.owner else UNKNOWN


def is_own(name: str) -> bool:
    """Whether a name is `self` or leads to an attribute of it."""
    return name == OWN or name.startswith(f"{OWN}.")


def owner_seen_from(owner: str, receiver: Value | None) -> str:
    """The name of what a method of an object returns, where the object has another name than `self`."""
    if not is_own(owner):
        return ""
    if not isinstance(receiver, Instance):
        return owner
    return f"{receiver.owner}{owner.removeprefix(OWN)}" if receiver.owner else ""


def own_field(device: Device) -> str:
    """The attribute of `self` whose tensor's device it is, else an empty string."""
    is_tensors = isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR and is_own(device.name)
    return device.name.removeprefix(f"{OWN}.") if is_tensors and isinstance(device, Symbol) else ""


def _renamed(value: Value, owner: Instance) -> Value:
    match value:
        case Tensor(device=device, anchor=anchor):
            place = device_seen_from_outside(device, owner)
            return replace(value, device=place, anchor=_spelled(anchor, owner), attribute="")
        case Module(device=device, anchor=anchor):
            return replace(
                value, device=device_seen_from_outside(device, owner), anchor=_spelled(anchor, owner)
            )
        case DeviceValue(device=device, text=text):
            return replace(value, device=device_seen_from_outside(device, owner), text=_spelled(text, owner))
        case Generator(device=device):
            return replace(value, device=device_seen_from_outside(device, owner))
        case Instance(owner=inner):
            return replace(_mapped(value, owner), owner=_spelled(inner, owner))
        case Alternatives(tensors=tensors):
            renamed = (_renamed(tensor, owner) for tensor in tensors)
            return Alternatives(tuple(tensor for tensor in renamed if isinstance(tensor, Tensor)))
        case Container(element=element, items=items):
            held = items and tuple((key, _renamed(item, owner)) for key, item in items)
            return replace(value, element=_renamed(element, owner), items=held)
        case _:
            return value


def _mapped(value: Instance, owner: Instance) -> Instance:
    return replace(value, fields=tuple((name, _renamed(held, owner)) for name, held in value.fields))


def _spelled(text: str, owner: Instance) -> str:
    """How an attribute of `self` is spelled where the object has a name; what it was given has its own."""
    if not is_own(text.removesuffix(".device")):
        return text
    name = text.removeprefix(OWN)
    given = name.removeprefix(".").removesuffix(".device") in dict(owner.fields)
    return f"{owner.owner}{name}" if owner.owner and not given else ""


def kept_under(value: Value, name: str) -> Value:
    """An object, or several in a list or dict, in an attribute that gives it its name."""
    match value:
        case Instance(owner=owner) if not is_own(owner):
            return replace(value, owner=name)
        case Container(element=element, items=items):
            held = items and tuple((key, kept_under(item, name)) for key, item in items)
            return replace(value, element=kept_under(element, name), items=held)
        case _:
            return value


def map_fields(value: Instance, change: Callable[[Value], Value]) -> Instance:
    """The same object with each value that it was given changed."""
    if not value.fields:
        return value
    return replace(value, fields=tuple((name, change(held)) for name, held in value.fields))


def attribute_of_argument(device: Symbol, arguments: Mapping[str, Value]) -> Device | None:
    """The device that `scaler.scale` of a function stands for, where `scaler` is one of its arguments."""
    root, dot, rest = device.name.partition(".")
    if not dot or root not in arguments:
        return None
    argument = arguments[root]
    own = replace(device, name=f"{OWN}.{rest}")
    return device_seen_from_outside(own, argument) if isinstance(argument, Instance) else UNKNOWN
