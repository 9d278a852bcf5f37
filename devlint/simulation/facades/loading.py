"""Checkpoints: a file stores the device of each tensor, and loading restores it.

Files of TorchScript are written and read in C++: they store the host, and only `map_location` counts."""

from __future__ import annotations

from typing import Any

import torch
from torch import serialization

from devlint.instrumentation.patches import Patches
from devlint.simulation import errors
from devlint.simulation.devices import Devices
from devlint.simulation.labels import label_new, label_storage, storage_label


def patch(patches: Patches, devices: Devices) -> None:
    """Register functions that save and restore the label of a storage, with priority over torch's."""

    def restore(storage: Any, location: str) -> Any:
        device_type, _, index = location.partition(":")
        if device_type != devices.type:
            return None
        wanted = int(index) if index else devices.current
        if wanted >= devices.count:
            raise errors.checkpoint(devices.type, wanted, devices.count)
        label_storage(storage, devices.at(wanted))
        return storage

    registry = serialization._package_registry
    patches.replace(serialization, "_package_registry", [(0, _tag, restore), *registry])
    before: Any = torch.jit.load

    def load(f: Any, map_location: Any = None, *args: Any, **options: Any) -> Any:
        if map_location is None:
            return before(f, map_location, *args, **options)
        place = devices.place(map_location)
        module = before(f, devices.real(place), *args, **options)
        label = devices.label(place)
        if label is not None:
            with torch._C.DisableTorchFunction():
                for tensor in (*module.parameters(), *module.buffers()):
                    label_new(tensor, label)
        return module

    patches.replace(torch.jit, "load", load)


def _tag(storage: Any) -> str | None:
    """The device of a storage as the file stores it; None if torch should determine it."""
    label = storage_label(storage)
    if label is None:
        return None
    return label.type if label.type == "mps" else str(label)
