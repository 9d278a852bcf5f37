"""Simulated devices, whose mismatches and hidden waits guards observe."""

from __future__ import annotations

from devlint.runtime.session.observation import shared
from devlint.simulation import Simulation


def simulate(type: str = "cuda", devices: int = 1) -> Simulation:  # noqa: A002 - torch.device calls it so
    """Simulate devices in a block (`with devlint.simulate("cuda", devices=2):`) or a function, which may be a
    generator or a coroutine; then from its first step to its last.

    A program written for CUDA then runs on a machine without CUDA. Tensors are in host memory, with a label
    for the device where they would be. Values are those of the CPU, bit for bit. If operands are on different
    devices, torch's error is raised, unless a guard with `mismatch="log"` lets the program continue.

    Raises: ValueError: if the type is not `cuda`, `xpu` or `mps`, or so many devices cannot be simulated.
        TypeError: if `devices` is not an integer.
    """
    return shared().simulation(type, devices)
