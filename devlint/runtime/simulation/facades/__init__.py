"""What torch offers beside its functions, which no function mode sees, as it is with simulated devices."""

from __future__ import annotations

from collections.abc import Callable

import torch

from devlint.runtime.eager import run_eagerly
from devlint.runtime.patches import Patches
from devlint.runtime.simulation.devices import Devices
from devlint.runtime.simulation.facades import (
    accelerator,
    defaults,
    device_module,
    loading,
    memory,
    numbers,
    optimizers,
    parallel,
    printing,
    streams,
    tensor_types,
)
from devlint.runtime.simulation.generators import patch_generators

__all__ = ["patch_torch"]


def patch_torch(patches: Patches, devices: Devices, printed: Callable[[], torch.device | None]) -> None:
    """Replace what would ask the driver; `patches` has the way back.

    `printed` answers with the simulated device of the tensor whose text is being made.
    """
    patch_generators(patches, devices)
    run_eagerly(patches)
    for facade in (
        accelerator,
        defaults,
        device_module,
        loading,
        memory,
        numbers,
        optimizers,
        parallel,
        streams,
        tensor_types,
    ):
        facade.patch(patches, devices)
    printing.patch(patches, printed)
