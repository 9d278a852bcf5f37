"""Nested tensors: their constructors pass no function mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from devlint.runtime.patches import Patches
from devlint.runtime.simulation.devices import Devices


def patch(patches: Patches, devices: Devices) -> None:
    """Make them on the host, and move them to where they are wanted."""
    for name in ("nested_tensor", "as_nested_tensor"):
        patches.wrap(torch.nested, name, lambda make: _moved(make, devices))


def _moved(make: Callable[..., Any], devices: Devices) -> Callable[..., Any]:
    def construct(tensors: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None:
            return make(tensors, *args, **kwargs)
        place = devices.place(device)
        return make(tensors, *args, device=devices.real(place), **kwargs).to(place)

    return construct
