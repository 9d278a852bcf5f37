"""The types of devices, as far as they are known or supposed."""

from __future__ import annotations

from devlint.model import Choice, Concrete, Device, Symbol


def kind_of(device: Device) -> str | None:
    """The type of a device: what came from outside is supposed to lie on an accelerator."""
    match device:
        case Concrete(type=kind) | Choice(accelerator=Concrete(type=kind)):
            return kind
        case Symbol():
            return "cuda"
        case _:
            return None
