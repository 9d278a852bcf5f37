"""Checkpoints: a file stores the device of each tensor, and loading restores it."""

from __future__ import annotations

from typing import Any

from torch import serialization

from devlint.instrumentation.patches import Patches
from devlint.simulation import errors
from devlint.simulation.devices import Devices
from devlint.simulation.labels import label_storage, storage_label


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


def _tag(storage: Any) -> str | None:
    """The device of a storage as the file stores it; None if torch should determine it."""
    label = storage_label(storage)
    if label is None:
        return None
    return label.type if label.type == "mps" else str(label)
