"""What `value.name` holds."""

from __future__ import annotations

from dataclasses import replace

from devlint.model import CPU, Symbol
from devlint.source import ir
from devlint.source.flow.calls import methods
from devlint.source.flow.functions.elsewhere import value_here
from devlint.source.flow.modules import instances, modules
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.places import fixed, stable_text
from devlint.source.flow.state.class_info import ClassInfo, is_property
from devlint.source.flow.state.frame import OF_SELF, Frame
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Batch,
    Container,
    DeviceValue,
    External,
    Generator,
    Instance,
    Literal,
    Method,
    Module,
    Placer,
    Scalar,
    Super,
    Tensor,
    Value,
)
from devlint.source.imports import canonical
from devlint.source.walk import path

_TENSOR_VIEWS = frozenset({"T", "mT", "H", "mH", "data", "real", "imag", "grad"})


_TENSOR_FACTS = frozenset(
    {"shape", "dtype", "ndim", "requires_grad", "is_cuda", "is_leaf", "layout", "itemsize", "nbytes"}
)


def attribute(frame: Frame, node: ir.Attribute, value: Value) -> Value:
    """`value.name`, not called."""
    name = node.name
    match value:
        case External():
            return frame.program.imports.if_named_for_device(External(canonical(f"{value.name}.{name}")))
        case Tensor() | Alternatives() if name == "device":
            place = operations.device_of(value)
            # A configuration has a `device` too, and keeps a string there.
            known = isinstance(value, Alternatives) or value.evident
            return place if known else replace(place, is_object=None)
        case Generator(device=device) if name == "device":
            return DeviceValue(device)
        case Tensor() if name in _TENSOR_VIEWS:
            return replace(
                value, rank0=value.rank0 if name in {"data", "grad", "real"} else None, untouched=False
            )
        case Tensor() if name in _TENSOR_FACTS:
            return SCALAR if name != "shape" else Container(SCALAR, data=True)
        case Module() if name in {"weight", "bias"} and value.name.startswith("torch.nn."):
            itself = not isinstance(value.device, Symbol)
            return Tensor(value.device, value.origin, rank0=False, anchor=value.anchor, untouched=itself)
        case Module(info=info) if info is not None and info.has_property(name):
            return methods.of_module(_property(frame, node, info, value), value)
        case Module(info=info) if info is not None and name not in info.methods:
            held = _held(frame, node, info)
            return Method(value, name, node.value) if held is None else _seen_from_outside(held, value)
        case Super(info=info):
            found = info.inherited(name)
            if found is not None and is_property(found[0]):
                return methods.call_method(frame, node.id, *found, (), Instance(info))
            return Method(value, name, node.value)
        case Instance(info=info) if info.has_property(name):
            return _property(frame, node, info, value)
        case Instance(info=info, fields=fields) if name not in info.methods:
            given = dict(fields).get(name)
            if given is not None:
                return given
            held = None if _comes_later(frame, info, name) else _held(frame, node, info)
            if held is not None:
                return instances.seen_from_outside(held, value)
            return Method(value, name, node.value) if info.is_module else TOP
        case DeviceValue() if name in {"type", "index"}:
            return SCALAR
        case Placer() if name == "device":
            return DeviceValue(value.device, stable_text(frame, node), is_object=True)
        case Batch(in_place=True) if name not in methods.OF_BATCHES:
            return Batch(value.tensor)
        case Batch():
            return Method(value, name, node.value)
        case Literal() | Scalar():
            return Method(value, name, node.value)
        case Container() if name in {"values", "indices"} and isinstance(value.element, Tensor):
            # The named tuples that `max`, `topk` and `sort` return.
            return value.element
        case _:
            return Method(value, name, node.value)


def _comes_later(frame: Frame, info: ClassInfo, name: str) -> bool:
    """Whether a constructor reads what only other methods set, so that it has not been set yet."""
    if frame.info is not info or not frame.is_constructor:
        return False
    _, held = modules.attribute_value(info, name)
    places = isinstance(held, Tensor | Alternatives | Generator)
    return places and not any(name in base.assignments for base in info.lineage())


def _held(frame: Frame, node: ir.Attribute, info: ClassInfo) -> Value | None:
    """What an attribute of an object holds, whichever file its class or a base of it stands in."""
    home, held = modules.attribute_value(info, node.name)
    if held is None or home is None or home.path == frame.program.path:
        return held
    here = value_here(held, node.id, f"self.{node.name}")
    own_name = path(node)
    return fixed(here, own_name) if own_name.startswith("self.") else here


def _property(frame: Frame, node: ir.Attribute, info: ClassInfo, value: Value) -> Value:
    found = info.method(node.name)
    return methods.call_method(frame, node.id, *found, (), value) if found is not None else TOP


def _seen_from_outside(held: Value, module: Module) -> Value:
    """An attribute of another module: what lies with that module's parameters lies where they are."""
    match held:
        case Tensor(device=device) | Module(device=device) | DeviceValue(device=device) if device == OF_SELF:
            return replace(held, device=module.device)
        case Tensor() | Module():
            return held if held.device == CPU else TOP
        case _:
            return TOP
