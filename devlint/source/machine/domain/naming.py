"""Values that name devices."""

from __future__ import annotations

from devlint.model import Concrete, Confidence, Symbol, SymbolKind, is_accelerator, parse_device
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import (
    AVAILABLE,
    OF_SELF,
    TRUE,
    AcceleratorName,
    DeviceValue,
    Known,
    Scalar,
    Value,
)


def device_named(held: Value) -> DeviceValue | None:
    """The device that a value names where a device is expected; None if it names no known device.

    A string is parsed; an integer is an ordinal of the current accelerator (`.cuda(1)`).
    """
    match held:
        case DeviceValue():
            return held
        case Known(value=str(text)):
            device = parse_device(text)
            return None if device is None else DeviceValue(device, f'"{text}"')
        case Known(value=bool()):
            return None
        case Known(value=int(index)) if index >= 0:
            return DeviceValue(Concrete("cuda", index), str(index))
        case Scalar(type="str", text=text) if text.endswith(":"):
            device = parse_device(text[:-1])
            if device is None:
                return None
            return DeviceValue(device, confidence=Confidence.LIKELY, any_ordinal=True)
        case Scalar(ordinal_of=DeviceValue() as device):
            return device
        case Input(name=name):
            owner = SymbolKind.MODULE if name.startswith(OF_SELF) else SymbolKind.DEVICE
            return DeviceValue(Symbol(name, owner), name, Confidence.LIKELY)
        case _:
            return None


def as_kind(held: Value) -> Value:
    """A value that was selected because there is an accelerator: its name, its ordinal, or the truth value
    that enables it."""
    if type(held) is not Known:
        return held
    if held == TRUE:
        return AVAILABLE
    if isinstance(held.value, str):
        device = parse_device(held.value)
        return AcceleratorName(held.value) if device is not None and is_accelerator(device) else held
    return AcceleratorName(held.value) if type(held.value) is int and held.value >= 0 else held
