"""What shows that a function expects its tensors on any device."""

from __future__ import annotations

from devlint.model import Device, Event
from devlint.model.value import value


@value
class DeviceQuery(Event):
    """A program asks where an input lies, puts something beside it, or copies it to the host.

    So the program expects that the input may lie on an accelerator.
    """

    device: Device
