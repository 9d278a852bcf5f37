"""A call of torch without simulated devices, for where the simulation itself fails: the CPU does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from devlint.simulation.devices import HOST, Devices
from devlint.simulation.labels import label_new

_BY_INDEX = (Tensor.to, torch._C._nn._parse_to)
"""Functions that take a device's index."""
_TO_DEVICE = (Tensor.cuda, Tensor.xpu)


def on_host(devices: Devices, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What a function of torch returns where all devices that are named are the host.

    What it makes where a device was named counts as lying there.
    """
    if func in _TO_DEVICE and all(_names(devices, value) for value in (*args[1:], *kwargs.values())):
        return args[0]
    by_index = func in _BY_INDEX
    real = [_real(devices, value, by_index=by_index) for value in args]
    named = {name: _real(devices, value, by_index=False) for name, value in kwargs.items()}
    result = func(*real, **named)
    wanted = next((value for value in (*args, *kwargs.values()) if _names(devices, value)), None)
    if wanted is not None and isinstance(result, Tensor):
        with torch._C.DisableTorchFunction():
            label_new(result, devices.place(wanted))
    return result


def _real(devices: Devices, value: Any, *, by_index: bool) -> Any:
    is_index = by_index and type(value) is int
    return HOST if is_index or _names(devices, value) else value


def _names(devices: Devices, value: Any) -> bool:
    """Whether a value is a simulated device, or the name of one."""
    if isinstance(value, str):
        with suppress(RuntimeError):
            value = torch.device(value)
    return isinstance(value, torch.device) and value.type == devices.type
