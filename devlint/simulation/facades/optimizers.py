"""Optimizers and gradient clipping: the algorithms of the CPU, for groups of tensors by simulated device."""

from __future__ import annotations

from typing import Any

import torch
from torch.optim import optimizer, swa_utils

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import HOST, Devices
from devlint.simulation.facades.device_module import replace_existing
from devlint.simulation.labels import label_of


def patch(patches: Patches, _: Devices) -> None:
    """Let optimizers use the default of the CPU: no `foreach`, unless the program requests it."""
    for module in (optimizer, swa_utils):
        replace_existing(patches, module, {"_get_foreach_kernels_supported_devices": list})
    replace_existing(patches, torch._C, {"_group_tensors_by_device_and_dtype": _group})


def _group(tensor_lists: list[list[Any]], with_indices: bool = False) -> dict[Any, Any]:
    """Group tensors by device and dtype. For torch's own function, all simulated devices are one."""
    groups: dict[Any, Any] = {}
    for position, first in enumerate(tensor_lists[0]):
        with torch._C.DisableTorchFunction():
            key = (label_of(first) or HOST, first.dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in tensor_lists], []))
        for values, tensors in zip(lists, tensor_lists, strict=True):
            if tensors:  # lists are empty if the optimizer's options do not use them
                values.append(tensors[position])
        if with_indices:
            indices.append(position)
    return groups
