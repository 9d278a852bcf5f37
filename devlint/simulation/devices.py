"""The simulated devices: their number, the current one, and the meaning of device arguments."""

from __future__ import annotations

import threading
from os import getpid
from typing import Any

import torch

from devlint.simulation import errors
from devlint.simulation.program_errors import for_program

HOST = torch.device("cpu")


class Devices:
    """`count` devices of one type. Each thread has its own current device, as with CUDA."""

    def __init__(self, type: str, count: int) -> None:  # noqa: A002 - torch.device calls it so
        self.type = type
        self.count = count
        self.all = tuple(torch.device(type, index) for index in range(count))
        self._thread = threading.local()
        self._process = getpid()

    @property
    def current(self) -> int:
        """The index of the current device."""
        return int(getattr(self._thread, "current", 0))

    @current.setter
    def current(self, index: int) -> None:
        self._thread.current = self.at(index).index

    def at(self, index: int) -> torch.device:
        """The device with this index.

        Raises: torch.AcceleratorError: if there is none. RuntimeError: in a forked process, which cannot use
        the device.
        """
        if getpid() != self._process:
            raise for_program(errors.forked(self.type))
        if not 0 <= index < self.count:
            raise for_program(errors.invalid_ordinal(self.type))
        return self.all[index]

    def place(self, device: Any) -> torch.device:
        """The device of a device argument, with the current index if the argument has none.

        Raises: torch.AcceleratorError: if there is no device with the index.
        """
        if isinstance(device, int):
            return self.at(device)
        named = device if isinstance(device, torch.device) else torch.device(device)
        if named.type != self.type:
            return named
        return self.at(self.current if named.index is None else named.index)

    def label(self, place: torch.device) -> torch.device | None:
        """The label of tensors on a device; None unless the device is simulated."""
        return place if place.type == self.type else None

    def real(self, place: torch.device) -> torch.device:
        """The real device of tensors on a device."""
        return HOST if place.type == self.type else place

    def index_of(self, device: Any = None) -> int:
        """The index in an argument of functions of `torch.cuda`; None is the current device."""
        if device is None:
            return self.current
        if isinstance(device, int):
            return device
        if isinstance(device, str):
            device = torch.device(device)
        if not isinstance(device, torch.device) or device.type != self.type:
            raise ValueError(f"Expected a {self.type} device, but got: {device}")
        return self.current if device.index is None else device.index
