"""The settings of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from devlint.model.simulated import device_count
from devlint.runtime.policy.levels import Levels
from devlint.runtime.recording.recorder import Warmup

HIDDEN_WAITS = "DEVLINT_HIDDEN_WAITS"
"""The environment variable for how to observe waits in C++; child processes inherit it."""
HIDDEN_WAITS_SOURCES = ("debug", "trace")
EVERY_AUTO = 50
"""By default, one step in so many is observed. A function mode makes a step of small operations cost 1.7
times as much; with this, it costs 1.02 times as much."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The options of a session.

    Raises: TypeError: if `devices` is not an integer. ValueError: if so many devices cannot be simulated, or
    `every` is below 1.
    """

    simulate: str = ""
    """The type of device to simulate: `cuda`, `xpu` or `mps`; empty for none."""
    devices: int = 1
    """The number of simulated devices."""
    levels: Levels = field(default_factory=Levels)
    warmup: Warmup = field(default_factory=Warmup)
    compiles: bool = True
    """Whether `torch.compile` compiles. Nothing is observed inside compiled code."""
    own: tuple[str, ...] = ()
    """Installed packages that count as the program's own code."""
    every: int = 1
    """One step in so many is observed, once the program's places are known; 1 for all."""
    everywhere: bool = True
    """Whether all threads are observed, or only the thread that starts the session and those that it
    starts."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every={self.every}: must be at least 1")
        device_count(self.devices)
