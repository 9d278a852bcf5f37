"""Checkpoints: files written with devices are read with their labels; what is saved is plain, readable anywhere."""

from __future__ import annotations

from typing import Any

from torch import serialization

from devlint.runtime.patches import Patches
from devlint.runtime.simulation import errors
from devlint.runtime.simulation.devices import Devices
from devlint.runtime.simulation.labels import label_storage


def patch(patches: Patches, devices: Devices) -> None:
    """Ask us first when a storage's location is restored."""

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
    patches.replace(serialization, "_package_registry", [(0, _no_tag, restore), *registry])


def _no_tag(storage: Any) -> None:
    """Saving is left to torch, for which the memory is on the CPU."""
