"""Operands of a running program: their names, devices and origins."""

from __future__ import annotations

from functools import cache

import torch

from devlint.model import UNKNOWN, Concrete, Device, Operand, SiteId
from devlint.runtime.observer.binding import BoundArguments
from devlint.runtime.places.expressions import keyword_texts, operand_texts
from devlint.simulation.labels import place_of
from devlint.tensors.provenance import origin_of


def device_of(value: torch.Tensor | torch.Generator | torch.device) -> Device:
    """The device of a tensor or generator as a `Device`; `cuda` stays without an ordinal."""
    if isinstance(value, torch.Tensor):
        device: object = place_of(value)
    else:
        device = value if isinstance(value, torch.device) else value.device
    return _named(device) if isinstance(device, torch.device) else UNKNOWN


@cache
def _named(device: torch.device) -> Device:
    return Concrete(device.type, None if device.type == "cpu" else device.index)


def current_accelerator() -> torch.device | None:
    """The accelerator to which ordinals refer; None if there is none, for which torch 2.6 raises an error."""
    try:
        return torch.accelerator.current_accelerator()
    except RuntimeError:
        return None


def tensor_type_device(wanted: str | type) -> str:
    """The device type of a legacy tensor type or of its name: `torch.cuda.FloatTensor`."""
    parts = (wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}").split(".")
    return parts[1] if len(parts) == 3 else "cpu"


def operand(tensor: torch.Tensor, path: str, place: str, site: SiteId) -> Operand:
    """One tensor. `path` is the program's name for it, if known, `place` the operator's."""
    if not path or path.startswith("["):
        path = _UNNAMED if place == "self" else place
    return Operand(
        path=path,
        site=site,
        device=device_of(tensor),
        origin=origin_of(tensor),
        parameter=place.partition("[")[0],
        rank0=tensor.dim() == 0,
        boolean=tensor.dtype is torch.bool,
        attribute=path.removeprefix("self.") if _is_attribute(path) else "",
    )


_UNNAMED = "tensor"
"""The name of a method's receiver, if the program has none."""


def names(bound: BoundArguments, text: str) -> dict[str, str]:
    """The program's names of the arguments, by the operator's names."""
    texts = operand_texts(text, bound.operator.name)
    if not texts and not text:
        return {}
    positional = [argument.name for argument in bound.operator.positional]
    called = dict(zip(positional, texts, strict=False)) if texts else {}
    return called | dict(keyword_texts(text)) if texts else called


def _is_attribute(path: str) -> bool:
    return path.startswith("self.") and path.removeprefix("self.").isidentifier()
