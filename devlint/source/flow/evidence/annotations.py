"""What an annotation says that names a class of the file, or a field of one."""

from __future__ import annotations

from dataclasses import replace

from devlint.model import NOWHERE, Kind, Origin, OriginStep, SiteId, Step, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.calls.frameworks import placer
from devlint.source.flow.evidence.quoted import unquoted
from devlint.source.flow.evidence.stated import CONTAINERS, annotated_kind
from devlint.source.flow.modules.layers import is_module_class
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import (
    TOP,
    ClassValue,
    Container,
    DeviceValue,
    External,
    Instance,
    Module,
    Tensor,
    Value,
)
from devlint.source.walk import path


def object_of(frame: Frame, annotation: ir.Expression | None, name: str, site: SiteId) -> Value:
    """What `name` holds whose annotation names a class: an object of it, or several in a list or dict."""
    match annotation:
        case ir.Name() | ir.Attribute():
            return _of_class(frame, path(annotation), name, site)
        case ir.Constant(value=str(text)):
            spelled = unquoted(text, site)
            return TOP if spelled is None else object_of(frame, spelled, name, site)
        case ir.Subscript(value=value, indices=indices):
            generic = path(value).rsplit(".", 1)[-1]
            if generic == "Optional":
                return object_of(frame, indices[0], name, site)
            if generic not in CONTAINERS:
                return TOP
            element = indices[-1 if len(indices) == 2 and not isinstance(indices[1], ir.Dots) else 0]
            held = object_of(frame, element, name, site)
            # What makes it one of several is not known, so it has no history.
            held = replace(held, origin=NOWHERE) if isinstance(held, Module) else held
            return TOP if held == TOP else Container(held)
        case ir.Binary(operator="or", left=left, right=ir.Constant(value=None)):
            return object_of(frame, left, name, site)
        case _:
            return TOP


def _of_class(frame: Frame, spelled: str, name: str, site: SiteId) -> Value:
    root, dot, rest = spelled.partition(".")
    found = frame.look_up(root)
    symbol = Symbol(name, SymbolKind.MODULE)
    origin = Origin((OriginStep(Step.PARAMETER, site, symbol, name),))
    if isinstance(found, External):
        exported = f"{found.name}{dot}{rest}"
        return Module(symbol, origin, exported) if is_module_class(exported) else placer(exported)
    if not isinstance(found, ClassValue) or dot:
        return TOP
    if found.info.is_module:
        return Module(symbol, origin, found.info.name, found.info)
    return TOP if found.info.unknown_base else Instance(found.info, owner=name)


def stated_fields(info: ClassInfo, frame: Frame) -> dict[str, Value]:
    """What an object holds in the fields that a class states: `scale: Tensor`, `mask: Tensor = None`."""
    fields: dict[str, Value] = {}
    for statement in info.node.body:
        match statement:
            case ir.Annotation(target=ir.Name(name=name), annotation=annotation):
                fields[name] = _field(frame, name, annotation)
            case ir.Assign(targets=(ir.Name(name=name),), annotation=annotation) if annotation is not None:
                fields[name] = _field(frame, name, annotation)
    return fields


def _field(frame: Frame, field: str, annotation: ir.Expression) -> Value:
    name = f"self.{field}"
    match annotated_kind(annotation, frame.canonical):
        case Kind.TENSOR:
            return _tensor(name)
        case Kind.CONTAINER:
            return Container(_tensor(name))
        case Kind.DEVICE:
            return DeviceValue(Symbol(name, SymbolKind.DEVICE), name, is_object=True)
        case _:
            return object_of(frame, annotation, name, annotation.id)


def _tensor(name: str) -> Tensor:
    return Tensor(Symbol(name, SymbolKind.TENSOR), anchor=f"{name}.device")
