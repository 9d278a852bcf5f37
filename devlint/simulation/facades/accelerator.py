"""`torch.accelerator`: the simulated devices are the accelerator."""

from __future__ import annotations

from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.facades.device_module import constant, device_context, replace_existing


def patch(patches: Patches, devices: Devices) -> None:
    """Answer for the simulated devices."""

    def set_index(device: Any, /) -> None:
        devices.current = devices.index_of(device)

    replacements: dict[str, Any] = {
        "is_available": constant(True),
        "device_count": lambda: devices.count,
        "current_accelerator": lambda check_available=False: torch.device(devices.type),
        "current_device_index": lambda: devices.current,
        "current_device_idx": lambda: devices.current,
        "set_device_index": set_index,
        "set_device_idx": set_index,
        "synchronize": constant(None),
        "device_index": device_context(devices),
    }
    replace_existing(patches, torch.accelerator, replacements)
    replace_existing(patches, torch._C, {"_get_accelerator": lambda check=None: torch.device(devices.type)})
