"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from devlint.runtime.policy import Levels
from devlint.runtime.recorder import Warmup


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
