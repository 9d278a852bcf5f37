"""The types of devices, as far as they are known or assumed."""

from __future__ import annotations

from devlint.model import CPU, Choice, Concrete, Device, Symbol
from devlint.model.device import DEVICE_TYPES

OF_CUDA = "torch.cuda."
"""The prefixes of the names of types of tensors on CUDA devices."""


def kind_of(device: Device) -> str | None:
    """The type of a device. A device passed in from outside is assumed to be an accelerator."""
    match device:
        case Concrete(type=kind) | Choice(accelerator=Concrete(type=kind)):
            return kind
        case Symbol():
            return "cuda"
        case _:
            return None


def is_on_cuda(device: Device) -> bool | None:
    """Whether a device is a CUDA device; None if that is not known."""
    kind = kind_of(device)
    return None if kind is None else kind == "cuda"


def is_spelled_with(device: Device, text: str, *, first: bool = False) -> bool | None:
    """Whether the string that names a device contains a text, or starts with it."""
    kind = kind_of(device)
    if kind is None:
        return None
    if kind.startswith(text) or (text in kind and not first):
        return True
    named = text.partition(":")[0]
    if named in DEVICE_TYPES and named != kind:
        return False
    if isinstance(device, Concrete) and (device == CPU or device.index is not None):
        return str(device).startswith(text) or (text in str(device) and not first)
    return None


def is_of_tensor_type(device: Device, name: str) -> bool | None:
    """Whether a tensor on a device has a tensor type, such as `torch.cuda.FloatTensor`; None if that is
    unknown. A tensor on an accelerator is assumed to have torch's default dtype, float."""
    on_cuda = is_on_cuda(device)
    if on_cuda is None:
        return None
    if on_cuda is not name.startswith(OF_CUDA):
        return False
    return True if name == f"{OF_CUDA}FloatTensor" else None
