"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from devlint.model.simulated import device_count
from devlint.runtime.policy.levels import Levels
from devlint.runtime.recording.recorder import Warmup

HIDDEN_WAITS = "DEVLINT_HIDDEN_WAITS"
"""The environment variable that says how to hear of waits in C++; child processes have it too."""
HIDDEN_WAITS_SOURCES = ("debug", "trace")
EVERY_AUTO = 50
"""Of so many steps one is watched where nobody says otherwise. A function mode makes a step of small
operations cost 1.7 times as much, so that this is 1.02 times."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The options of a session.

    Raises:
        TypeError: `devices` is no whole number.
        ValueError: so many devices cannot be simulated, or `every` is below 1.
    """

    simulate: str = ""
    """The type of device to simulate: `cuda`, `xpu` or `mps`; empty for none."""
    devices: int = 1
    """How many of them there are."""
    levels: Levels = field(default_factory=Levels)
    warmup: Warmup = field(default_factory=Warmup)
    compiles: bool = True
    """Whether `torch.compile` compiles. If it does, nothing is seen inside what it compiled."""
    own: tuple[str, ...] = ()
    """Installed packages that count as the program's own code."""
    every: int = 1
    """Of so many steps one is watched, once the program's places are known; 1 for all of them."""
    everywhere: bool = True
    """Whether all threads are observed, or the thread that starts it and those that it starts."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every={self.every}: a number of steps is above 0")
        device_count(self.devices)
