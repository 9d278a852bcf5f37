"""Replacements for parts of torch that no function mode gets."""

from __future__ import annotations

from collections.abc import Callable

from devlint.instrumentation.eager import run_eagerly
from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.facades import (
    accelerator,
    cudagraphs,
    defaults,
    device_module,
    distributed,
    inference,
    interchange,
    loading,
    memory,
    optimizers,
    parallel,
    printing,
    random_numbers,
    scripted,
    storages,
    streams,
    subclasses,
    tensor_types,
    unseen,
    wrappers,
)
from devlint.simulation.generators import patch_generators
from devlint.simulation.scope import CallScope

__all__ = ["patch_torch"]


def patch_torch(
    patches: Patches,
    devices: Devices,
    scope: Callable[[], CallScope | None],
    refuse: Callable[[Exception], None],
) -> None:
    """Replace functions that would call the driver, until `patches` are undone.

    `scope` returns the running function of the calling thread. `refuse` raises an error about devices, unless
    a guard lets the program continue.
    """
    patch_generators(patches, devices)
    run_eagerly(patches)
    for facade in (
        accelerator,
        cudagraphs,
        defaults,
        device_module,
        inference,
        interchange,
        loading,
        memory,
        random_numbers,
        optimizers,
        parallel,
        storages,
        streams,
        subclasses,
        tensor_types,
        unseen,
        wrappers,
    ):
        facade.patch(patches, devices)
    printing.patch(patches, scope)
    scripted.patch(patches, scope)
    distributed.patch(patches, devices, scope, refuse)
