"""Devices, and the four possible relations of two devices."""

from __future__ import annotations

import re
from enum import Enum
from typing import TypeAlias, TypeGuard

from devlint.model.value import value


class Relation(Enum):
    """The relation of two devices."""

    SAME = "same"
    DIFFERENT = "different"
    DIFFERENT_ON_ACCELERATOR = "different on an accelerator"
    UNKNOWN = "unknown"


APART = (Relation.DIFFERENT, Relation.DIFFERENT_ON_ACCELERATOR)
"""The relations that are a mismatch, the more certain first."""


class SymbolKind(Enum):
    """The kind of value whose device a symbol is."""

    DEVICE = "device"
    """A name that holds a device: `device`, `self.device`."""
    TENSOR = "tensor"
    """A tensor argument: parameter `x`; or all arguments of a function, if the name is no expression."""
    MODULE = "module"
    """The parameters and buffers of a module: `self`; or the attribute that holds their device:
    `self.device`."""


@value
class Concrete:
    """A concrete device. `index` None means the current device of that type; the CPU has no index."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


@value
class Symbol:
    """The unknown but fixed device of a name. Two symbols are the same device only if they are equal."""

    name: str
    kind: SymbolKind

    def __str__(self) -> str:
        parts = self.name.split(".")
        if self.kind is SymbolKind.DEVICE or (self.kind is SymbolKind.MODULE and len(parts) > 1):
            return f"`{self.name}`"
        return f"`{self.name}`'s device" if all(map(str.isidentifier, parts)) else "the caller's device"


@value
class Choice:
    """An accelerator if there is one, else the CPU: `"cuda" if torch.cuda.is_available() else "cpu"`."""

    accelerator: Concrete

    def __str__(self) -> str:
        return f"{self.accelerator} if available"


@value
class Unknown:
    """An unknown device, about which nothing is reported."""

    def __str__(self) -> str:
        return "unknown"


Device: TypeAlias = Concrete | Symbol | Choice | Unknown

CPU = Concrete("cpu")
UNKNOWN = Unknown()

ACCELERATORS = frozenset(
    {"cuda", "xpu", "mps", "hip", "hpu", "npu", "xla", "mtia", "musa", "mlu", "sdaa", "privateuseone", "tpu"}
)
"""Device types that work asynchronously to the host (c10/core/DeviceType.h; "tpu" is that of torch_tpu)."""
DEVICE_TYPES = ACCELERATORS | {
    "cpu",
    "meta",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "fpga",
    "maia",
    "vulkan",
    "ipu",
    "lazy",
    "ve",
    "metal",
}
"""All type names that `torch.device` accepts (c10/core/Device.cpp), and widely used ones of other
packages."""

_SPELLING = re.compile(r"([a-z_]+)(?::(0|[1-9][0-9]*))?\Z")


def parse_device(text: str) -> Concrete | None:
    """The device of `torch.device(text)`; None if torch raises an error for the text.

    Follows the grammar of c10/core/Device.cpp: a type, and optionally a colon and an ordinal without
    leading zeros. `cpu:0` is the CPU.
    """
    match = _SPELLING.match(text)
    if match is None or match[1] not in DEVICE_TYPES:
        return None
    index = int(match[2]) if match[2] is not None and match[1] != "cpu" else None
    return Concrete(match[1], index)


def is_host(device: Device) -> bool:
    """Whether the device is certainly the CPU."""
    return device == CPU


def is_accelerator(device: Device) -> bool:
    """Whether the device is certainly an accelerator, or is one if the machine has one."""
    match device:
        case Concrete(type=type_):
            return type_ in ACCELERATORS
        case Choice():
            return True
        case _:
            return False


def may_be_accelerator(device: Device) -> bool:
    """Whether the device is known at all and can be an accelerator: a symbol counts, unknown does not."""
    return is_accelerator(device) or isinstance(device, Symbol)


def is_of_tensor(device: Device) -> TypeGuard[Symbol]:
    """Whether a device is that of a tensor that a function gets."""
    return isinstance(device, Symbol) and device.kind is SymbolKind.TENSOR


def compare(left: Device, right: Device) -> Relation:
    """The relation of two devices.

    `cuda` is the current device, so its relation to `cuda:1` is unknown. A symbol and the CPU, or a choice
    and the CPU, differ only if there is an accelerator. The meta device has its own rules, and its relation
    to all others is unknown.
    """
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return Relation.UNKNOWN
    if left == right:
        return Relation.SAME
    if isinstance(left, Concrete) and isinstance(right, Concrete):
        return _compare_concrete(left, right)
    if CPU in (left, right):
        return Relation.DIFFERENT_ON_ACCELERATOR
    return Relation.UNKNOWN


def _compare_concrete(left: Concrete, right: Concrete) -> Relation:
    if "meta" in (left.type, right.type):
        return Relation.UNKNOWN
    if left.type != right.type:
        return Relation.DIFFERENT
    if left.index is None or right.index is None:
        return Relation.UNKNOWN
    return Relation.DIFFERENT
