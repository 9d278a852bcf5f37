"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from devlint.runtime.policy import Levels
from devlint.runtime.recorder import Warmup

HIDDEN_WAITS = "DEVLINT_HIDDEN_WAITS"
"""The environment variable that says how to hear of waits in C++; child processes have it too."""
HIDDEN_WAITS_SOURCES = ("debug", "trace")


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a session."""

    simulate: str = ""
    """The type of device to simulate: `cuda`, `xpu` or `mps`; empty for none."""
    devices: int = 1
    """How many of them there are."""
    levels: Levels = field(default_factory=Levels)
    warmup: Warmup = field(default_factory=Warmup)
    compiles: bool = True
    """Whether `torch.compile` compiles. If it does, nothing is seen inside what it compiled."""
    everywhere: bool = True
    """Whether all threads are observed, or the thread that starts it and those that it starts."""
