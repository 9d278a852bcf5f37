"""The default device: `torch.set_default_device`, `with torch.device(…)`, `torch.set_default_tensor_type`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._C import _len_torch_function_stack
from torch.utils import _device as default_device
from torch.utils._device import DeviceContext

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.labels import set_label
from devlint.simulation.legacy import parse_legacy


def patch(patches: Patches, devices: Devices) -> None:
    """Let torch's mode for default devices pass simulated ones to that of the simulation.

    `set_default_device` keeps that mode below all others, so that it would get calls last, and would pass the
    simulated device to torch. `with torch.device(…)` has it on top, which is harmless.
    """
    before: Any = DeviceContext.__torch_function__

    def handle(context: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if context.device.type == devices.type and not _len_torch_function_stack():
            return func(*args, **(kwargs or {}))
        return before(context, func, types, args, kwargs)

    patches.replace(DeviceContext, "__torch_function__", handle)
    set_tensor_type = torch.set_default_tensor_type
    constructor = _Constructor(patches, devices)

    def set_default_tensor_type(wanted: Any) -> None:
        legacy = parse_legacy(wanted)
        was_on_device = constructor.on_device
        constructor.on_device = legacy is not None and legacy[0] == devices.type
        if legacy is None or legacy[0] != devices.type:
            if was_on_device:
                torch.set_default_device(None)
            set_tensor_type(wanted)
            return
        constructor.replace()
        torch.set_default_dtype(legacy[1])
        torch.set_default_device(devices.type)

    patches.replace(torch, "set_default_tensor_type", set_default_tensor_type)
    get_default_device = torch.get_default_device

    def current_default() -> torch.device:
        device = default_device.CURRENT_DEVICE
        return devices.place(device) if device is not None else get_default_device()

    patches.replace(torch, "get_default_device", current_default)


class _Constructor:
    """`torch.Tensor(…)` if the default tensor type is a device type: it creates a tensor of that type.

    The default device has no effect on it (torch/csrc/tensor/python_tensor.cpp). Subclasses inherit the
    replacement, so it is installed only when needed.
    """

    def __init__(self, patches: Patches, devices: Devices) -> None:
        self._patches = patches
        self._devices = devices
        self._is_replaced = False
        self.on_device = False

    def replace(self) -> None:
        """Replace `torch.Tensor` by the constructor that follows the default type."""
        if self._is_replaced:
            return
        self._is_replaced = True
        make: Any = Tensor.__new__

        def new(*args: Any, **kwargs: Any) -> Any:  # the signature of torch's own, which Dynamo compares
            made = make(*args, **kwargs)
            cls, *rest = args
            if self.on_device and cls is Tensor and not kwargs and not any(map(_is_tensor, rest)):
                set_label(made, self._devices.place(self._devices.type))
            return made

        self._patches.replace(Tensor, "__new__", new)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)
