"""Runs a call of torch on the CPU, without simulated devices, if the simulation has failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from devlint.simulation.devices import HOST, Devices
from devlint.simulation.labels import label_new

_BY_INDEX = (Tensor.to, torch._C._nn._parse_to)
"""Functions that accept the index of a device."""
_TO_DEVICE = (Tensor.cuda, Tensor.xpu)


def on_host(devices: Devices, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of a torch function with the host in place of all simulated devices.

    A result for which a device was requested gets the label of that device.
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
    """Whether a value is a simulated device or its name."""
    if isinstance(value, str):
        with suppress(RuntimeError):
            value = torch.device(value)
    return isinstance(value, torch.device) and value.type == devices.type
