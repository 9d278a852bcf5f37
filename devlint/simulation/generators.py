"""Generators of a simulated device: they draw on the CPU, and return the simulated device."""

from __future__ import annotations

from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices

_HostGenerator = torch._C.Generator


class _AnyGenerator(type(_HostGenerator)):  # type: ignore[misc] # the class of a class
    """Makes generators that torch created count as instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _HostGenerator)


class SimulatedGenerator(_HostGenerator):
    """A CPU generator whose `device` is a simulated one. It draws the numbers of a CPU generator with its
    seed."""

    simulated_device: torch.device

    @property
    def device(self) -> torch.device:  # type: ignore[override] # a getter of C, typed as an attribute
        """The simulated device."""
        return self.simulated_device


def device_of(generator: Any) -> torch.device:
    """The device of a generator, simulated or not."""
    device: torch.device = generator.device
    return device


def generator_on(place: torch.device) -> SimulatedGenerator:
    """Create a generator of a simulated device."""
    generator: SimulatedGenerator = _HostGenerator.__new__(SimulatedGenerator, device="cpu")  # type: ignore[call-arg]
    generator.simulated_device = place
    return generator


def patch_generators(patches: Patches, devices: Devices) -> None:
    """Let `torch.Generator` create generators of simulated devices."""

    class Generator(_HostGenerator, metaclass=_AnyGenerator):
        def __new__(cls, device: Any = "cpu") -> Any:
            place = devices.place(device)
            if devices.label(place) is None:
                return _HostGenerator(device=place)
            # Torch's generator returns a device without an index if it was created with one.
            return generator_on(place if isinstance(device, int) else torch.device(device))

    patches.replace(torch, "Generator", Generator)
