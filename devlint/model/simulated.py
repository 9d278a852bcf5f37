"""Which devices can be simulated, and how many."""

from __future__ import annotations

from operator import index

SIMULATED_TYPES = ("cuda", "xpu", "mps")
"""The types of devices that can be simulated."""
MOST_DEVICES = 128
"""The largest number of simulated devices. Torch stores the index of a device in a signed byte."""


def device_count(devices: int) -> int:
    """How many devices are simulated.

    Raises: TypeError: if it is not an integer. ValueError: if so many cannot be simulated.
    """
    try:
        count = index(devices)
    except TypeError:
        raise TypeError(f"devices={devices!r}: must be an integer") from None
    if not 1 <= count <= MOST_DEVICES:
        raise ValueError(f"{count} devices cannot be simulated; there can be 1 to {MOST_DEVICES}")
    return count


def read_device_count(text: str) -> int:
    """How many devices are simulated, from the text of an option.

    Raises: ValueError: if the text is not a number, or so many cannot be simulated.
    """
    if not text.isdecimal() or not text.strip("0"):
        raise ValueError(f"`{text}` is not a number of devices")
    # Python refuses to read thousands of digits.
    if len(text.lstrip("0")) > len(str(MOST_DEVICES)):
        raise ValueError(f"so many devices cannot be simulated; there can be 1 to {MOST_DEVICES}")
    return device_count(int(text))
