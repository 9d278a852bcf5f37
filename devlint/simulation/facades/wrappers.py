"""Tensors that wrap others: their classes handle kernels themselves, and create wrappers with a device."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.labels import set_label

_PLACE = 7
"""The position of the device, for callers that pass all arguments by position, such as nested tensors."""


def patch(patches: Patches, devices: Devices) -> None:
    """Create them on the host, with the label of their device."""
    make: Any = Tensor._make_wrapper_subclass

    def make_wrapper_subclass(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device", args[_PLACE] if len(args) > _PLACE else None)
        if device is None:
            return make(*args, **kwargs)
        place = devices.place(device)
        real = devices.real(place)
        if "device" in kwargs:
            made = make(*args, **kwargs | {"device": real})
        else:
            made = make(*args[:_PLACE], real, *args[_PLACE + 1 :], **kwargs)
        set_label(made, devices.label(place))
        return made

    patches.replace(Tensor, "_make_wrapper_subclass", staticmethod(make_wrapper_subclass))
