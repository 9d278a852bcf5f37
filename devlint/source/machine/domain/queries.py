"""Evidence that a function supports tensors on any device."""

from __future__ import annotations

from devlint.model import Device, Event
from devlint.model.value import value


@value
class DeviceQuery(Event):
    """A query: the program asks for the device of an input, creates something there or of its dtype, copies
    it to the host, or leaves out a device that a helper takes.

    So the program expects that the input may be on an accelerator.
    """

    device: Device
