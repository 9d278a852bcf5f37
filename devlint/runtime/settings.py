"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index

from devlint.runtime.policy import Levels
from devlint.runtime.recorder import Warmup

HIDDEN_WAITS = "DEVLINT_HIDDEN_WAITS"
"""The environment variable that says how to hear of waits in C++; child processes have it too."""
HIDDEN_WAITS_SOURCES = ("debug", "trace")
SIMULATED_TYPES = ("cuda", "xpu", "mps")
"""The types of devices that can be simulated."""
EVERY_AUTO = 50
"""Of so many steps one is watched where nobody says otherwise. A function mode makes a step of small
operations cost 1.7 times as much, so that this is 1.02 times."""
MOST_DEVICES = 128
"""More cannot be simulated: torch keeps a device's index in eight bits, and below 0 it means none."""


def device_count(devices: int) -> int:
    """How many devices are simulated.

    Raises:
        TypeError: this is no whole number.
        ValueError: so many cannot be simulated.
    """
    try:
        count = index(devices)
    except TypeError:
        raise TypeError(f"devices={devices!r}: a whole number is needed") from None
    if not 1 <= count <= MOST_DEVICES:
        raise ValueError(f"{count} devices cannot be simulated; there can be 1 to {MOST_DEVICES}")
    return count


def read_device_count(text: str) -> int:
    """How many devices are simulated, from what an option says.

    Raises:
        ValueError: this is no number, or so many cannot be simulated.
    """
    if not text.isdecimal() or not text.strip("0"):
        raise ValueError(f"`{text}` is no number of devices")
    # Python itself refuses to read thousands of digits.
    if len(text.lstrip("0")) > len(str(MOST_DEVICES)):
        raise ValueError(f"so many devices cannot be simulated; there can be 1 to {MOST_DEVICES}")
    return device_count(int(text))


@dataclass(frozen=True, slots=True)
class Settings:
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
