"""Functions that create tensors and that no function mode observes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.labels import label_of, set_label


def patch(patches: Patches, devices: Devices) -> None:
    """Let them create tensors on the host, with the label of the requested device."""
    patches.wrap(torch, "range", lambda make: _labelled(make, devices))
    for name in ("nested_tensor", "as_nested_tensor"):
        patches.wrap(torch.nested, name, lambda make: _moved(make, devices))


def _labelled(make: Callable[..., Tensor], devices: Devices) -> Callable[..., Tensor]:
    @functools.wraps(make)
    def construct(*args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        if device is None:
            return make(*args, **kwargs)
        place = devices.place(device)
        made = make(*args, device=devices.real(place), **kwargs)
        set_label(made, devices.label(place))
        return made

    return construct


def _moved(make: Callable[..., Tensor], devices: Devices) -> Callable[..., Tensor]:
    """Nested tensors are on the device of their first part, unless a device is requested."""

    @functools.wraps(make)
    def construct(tensors: Any, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        if device is not None:
            place = devices.place(device)
            is_leaf = kwargs.pop("requires_grad", False)
            made = make(tensors, *args, device=devices.real(place), **kwargs).to(place)
            return made.requires_grad_() if is_leaf else made
        made = make(tensors, *args, **kwargs)
        first = next(iter(tensors), None) if isinstance(tensors, (list, tuple)) else None
        if isinstance(first, Tensor) and label_of(made) is None:
            set_label(made, label_of(first))
        return made

    return construct
