"""Random numbers: simulated devices use the CPU's generator.

A program thereby draws the same numbers as on the CPU. Seeding a device has no effect. Its state can be saved
and restored, so that programs that do so run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from devlint.instrumentation.patches import Patches
from devlint.simulation import errors
from devlint.simulation.devices import Devices
from devlint.simulation.facades.device_module import constant, module_of, replace_existing
from devlint.simulation.generators import generator_on
from devlint.simulation.labels import label_of


def patch(patches: Patches, devices: Devices) -> None:
    """Replace the functions for generators of devices."""
    generators = tuple(generator_on(place) for place in devices.all)

    def state(device: Any = None) -> Tensor:
        return generators[_index(devices, device)].get_state()

    def set_state(new_state: Tensor, device: Any = None) -> None:
        if label_of(new_state) is not None:
            raise errors.random_state()
        generators[_index(devices, device)].set_state(new_state)

    def set_states(new_states: Iterable[Tensor]) -> None:
        for index, new_state in enumerate(new_states):
            set_state(new_state, index)

    replacements: dict[str, Any] = {
        "manual_seed": constant(None),
        "manual_seed_all": constant(None),
        "seed": constant(None),
        "seed_all": constant(None),
        "initial_seed": lambda: int(generators[devices.current].initial_seed()),
        "get_rng_state": state,
        "get_rng_state_all": lambda: [state(index) for index in range(devices.count)],
        "set_rng_state": set_state,
        "set_rng_state_all": set_states,
        "default_generators": generators,
    }
    module = module_of(devices)
    for owner in (module, getattr(module, "random", None)):
        if owner is not None:
            replace_existing(patches, owner, replacements)
    if hasattr(torch, "mps") and devices.type == "mps":
        replace_existing(patches, torch.mps, {"_get_default_mps_generator": lambda: generators[0]})


def _index(devices: Devices, device: Any) -> int:
    index = devices.index_of(device)
    place = devices.at(index)
    return int(place.index)
