"""Legacy types such as `torch.cuda.FloatTensor`: constructors and types."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from devlint.instrumentation.patches import Patches
from devlint.simulation import errors
from devlint.simulation.devices import Devices
from devlint.simulation.facades.device_module import module_of
from devlint.simulation.labels import label_of, set_label
from devlint.simulation.legacy import DTYPES, cpp_name


def patch(patches: Patches, devices: Devices) -> None:
    """Replace the types that this torch has for the devices."""
    module = module_of(devices)
    for word, dtype in DTYPES.items():
        name = f"{word}Tensor"
        if hasattr(module, name):
            patches.replace(module, name, _legacy_type(devices, name, dtype))


def _legacy_type(devices: Devices, name: str, dtype: torch.dtype) -> type:
    class Legacy(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            if not isinstance(instance, Tensor) or instance.dtype is not dtype:
                return False
            label = label_of(instance)
            return label is not None and label.type == devices.type

        def __call__(cls, *args: Any, device: Any = None) -> Any:
            data = args[0] if args else None
            label = label_of(data) if isinstance(data, Tensor) else None
            if isinstance(data, Tensor) and (label is None or label.type != devices.type):
                raise errors.legacy((cpp_name(dtype), devices.type), (cpp_name(data.dtype), data.device))
            place = devices.place(devices.type if device is None else device)
            if devices.label(place) is None:
                raise errors.legacy_device(devices.type, place.type)
            tensor = getattr(torch, name)(*args)
            if isinstance(data, Tensor):
                tensor = tensor.clone()
            set_label(tensor, place)
            return tensor

    return Legacy(name, (), {"__module__": f"torch.{devices.type}", "dtype": dtype})
