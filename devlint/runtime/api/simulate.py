"""Simulated devices whose mismatches and hidden waits the guards hear of."""

from __future__ import annotations

from devlint.runtime.session.observation import shared
from devlint.simulation import Simulation


def simulate(type: str = "cuda", devices: int = 1) -> Simulation:  # noqa: A002 - torch.device calls it so
    """Simulate devices in a block (`with devlint.simulate("cuda", devices=2):`) or a function,
    which may be a generator or a coroutine: from its first step to its last.

    A program written for CUDA runs in it to its end on a machine that has none: tensors lie in host memory,
    and a label says where they would be. Values are those of the CPU, bit for bit. Where operands lie on
    devices that do not fit, the error of torch is raised, unless a guard at `mismatch="log"` says to go on.

    Raises:
        ValueError: the type is none of `cuda`, `xpu` and `mps`, or so many devices cannot be simulated.
        TypeError: `devices` is no whole number.
    """
    return shared().simulation(type, devices)
