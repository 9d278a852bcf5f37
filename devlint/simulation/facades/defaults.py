"""The default device: `torch.set_default_device`, `with torch.device(…)`, `torch.set_default_tensor_type`."""

from __future__ import annotations

from typing import Any

import torch
from torch._C import _len_torch_function_stack
from torch.utils import _device as default_device
from torch.utils._device import DeviceContext

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.legacy import parse_legacy


def patch(patches: Patches, devices: Devices) -> None:
    """Let torch's own mode for default devices leave simulated ones to the simulation's.

    `set_default_device` keeps that mode below all others, so that it would be the last to see a call, and
    would hand the device on to where there is none. `with torch.device(…)` has it above, which does no harm.
    """
    before: Any = DeviceContext.__torch_function__

    def handle(context: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if context.device.type == devices.type and not _len_torch_function_stack():
            return func(*args, **(kwargs or {}))
        return before(context, func, types, args, kwargs)

    patches.replace(DeviceContext, "__torch_function__", handle)
    set_tensor_type = torch.set_default_tensor_type

    def set_default_tensor_type(wanted: Any) -> None:
        legacy = parse_legacy(wanted)
        if legacy is None or legacy[0] != devices.type:
            set_tensor_type(wanted)
            return
        torch.set_default_dtype(legacy[1])
        torch.set_default_device(devices.type)

    patches.replace(torch, "set_default_tensor_type", set_default_tensor_type)
    get_default_device = torch.get_default_device

    def current_default() -> torch.device:
        device = default_device.CURRENT_DEVICE
        return devices.place(device) if device is not None else get_default_device()

    patches.replace(torch, "get_default_device", current_default)
