"""Expressions that name a device: `torch.device(...)`, strings, ordinals, choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from devlint.model import (
    UNKNOWN,
    Concrete,
    SettingKind,
    SiteId,
    Symbol,
    SymbolKind,
    parse_device,
)
from devlint.source import ir
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import (
    TOP,
    DeviceValue,
    External,
    Literal,
    Method,
    Scalar,
    Top,
    Value,
    as_device,
)
from devlint.source.walk import path, text

_TYPE_PREFIX = re.compile(r"[a-z]+\Z")


def wanted(frame: Frame, passed: Passed) -> DeviceValue:
    """The device that an argument names where a device is wanted; unknown if it names none that is known.

    Notes device strings that torch refuses, and those that fix the type of accelerator.
    """
    value = passed.value
    if isinstance(value, External):
        value = frame.program.imports.value(value)
    note_literal(frame, value, passed.expression)
    device = as_device(value)
    if device is None:
        return _named(frame, passed.expression)
    if device.device == UNKNOWN and frame.bound_once(path(passed.expression)) and not frame.guarded:
        return replace(_named(frame, passed.expression), is_object=device.is_object)
    return (
        device
        if device.text
        else DeviceValue(device.device, stable_text(frame, passed.expression), device.is_object)
    )


def held_device(frame: Frame, expression: ir.Expression, value: Value) -> Value:
    """What `device = self.accelerator.device` holds: a device that nobody can tell is one all the same."""
    is_unknown = value == TOP or (isinstance(value, Method) and isinstance(value.receiver, Top | Method))
    if not is_unknown or not isinstance(expression, ir.Attribute):
        return value
    named = _named(frame, expression)
    return named if named.device != UNKNOWN else value


def _named(frame: Frame, expression: ir.Expression) -> DeviceValue:
    """A device that is unknown but fixed: a name, used as a device, that nothing in the function rebinds."""
    name = path(expression)
    spelled = stable_text(frame, expression)
    is_fixed = bool(spelled) or frame.is_body or frame.bound_once(name.split(".")[0])
    if not name.rsplit(".", 1)[-1].endswith("device") or not is_fixed:
        return DeviceValue(UNKNOWN, spelled)
    return DeviceValue(Symbol(name, SymbolKind.DEVICE), spelled)


def stable_text(frame: Frame, expression: ir.Expression) -> str:
    """How a device is spelled, if the spelling means the same throughout the function."""
    name = path(expression)
    if name and frame.stable(name) and frame.stable(name.split(".")[0]):
        return name
    return text(expression) if isinstance(expression, ir.Constant) else ""


def note_literal(frame: Frame, value: Value, expression: ir.Expression) -> None:
    """Notes what a device literal gives away."""
    if isinstance(expression, ir.Conditional):
        for branch in (expression.then, expression.orelse):
            if isinstance(branch, ir.Constant):
                _note_invalid(frame, Literal(branch.value), branch)
    if not isinstance(value, Literal) or not isinstance(value.value, str):
        return
    device = _note_invalid(frame, value, expression)
    if device is None:
        return
    if device.type == "cuda" and isinstance(expression, ir.Constant):
        note_hard_coded(frame, expression.id, value.value)
        note_ordinal(frame, expression.id, device)


def _note_invalid(frame: Frame, value: Literal, expression: ir.Expression) -> Concrete | None:
    """The device that a string names; noted if it names none."""
    if not isinstance(value.value, str):
        return None
    device = parse_device(value.value)
    if device is None:
        frame.note_setting(SettingKind.DEVICE_LITERAL, expression.id, value.value)
    return device


def note_ordinal(frame: Frame, site: SiteId, device: Concrete) -> None:
    """Notes an ordinal, where the program itself has said how many devices it sees."""
    visible = frame.program.visible_devices
    if visible is not None and device.index is not None:
        frame.note_setting(SettingKind.ORDINAL, site, str(device), str(visible))


def note_hard_coded(frame: Frame, site: SiteId, spelling: str) -> None:
    """Notes a fixed accelerator type, outside of branches that have asked whether there is one."""
    if not frame.guarded:
        frame.note_setting(SettingKind.HARD_CODED, site, spelling)


def make_device(frame: Frame, call: ir.Call, passed: Sequence[Passed]) -> Value:
    """`torch.device(...)`: a string, another device, a type with an index, or an ordinal."""
    by_name = {argument.keyword: argument for argument in passed if argument.keyword}
    positional = [argument for argument in passed if not argument.keyword]
    first = positional[0] if positional else by_name.get("device", by_name.get("type"))
    second = positional[1] if len(positional) > 1 else by_name.get("index")
    if first is None:
        return DeviceValue(UNKNOWN, is_object=True)
    named = wanted(frame, first)
    spelled = text(call) if isinstance(first.expression, ir.Constant) and second is None else ""
    device = named.device
    if second is not None and isinstance(device, Concrete):
        ordinal = second.value
        index = ordinal.value if isinstance(ordinal, Literal) and isinstance(ordinal.value, int) else None
        device = Concrete(device.type, index)
    return DeviceValue(device, spelled, is_object=True)


def formatted_device(parts: Sequence[str | Value]) -> Value:
    """`f"cuda:{rank}"`: the type is known, the ordinal only if it is a constant."""
    spelling = ""
    for part in parts:
        if isinstance(part, str):
            spelling += part
        elif isinstance(part, Literal) and isinstance(part.value, str | int):
            spelling += str(part.value)
        else:
            head = spelling.removesuffix(":")
            known = parse_device(head) if spelling.endswith(":") and _TYPE_PREFIX.match(head) else None
            return Scalar() if known is None else DeviceValue(Concrete(known.type), is_object=False)
    return Literal(spelling)


def fixed(value: Value, attribute: str) -> Value:
    """What an attribute of `self` holds: a device that nobody can tell is one and the same all the same."""
    if not isinstance(value, DeviceValue) or not attribute.startswith("self.") or attribute.count(".") > 1:
        return value
    if value.device == UNKNOWN:
        return replace(value, device=Symbol(attribute, SymbolKind.DEVICE), text=attribute)
    return replace(value, text=attribute)
