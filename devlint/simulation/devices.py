"""The simulated devices: how many, which is current, and what a device argument means."""

from __future__ import annotations

import threading
from os import getpid
from typing import Any

import torch

from devlint.simulation import errors
from devlint.simulation.meant import meant

HOST = torch.device("cpu")


class Devices:
    """`count` devices of one type. The current one is each thread's own, as it is with CUDA."""

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

        Raises:
            torch.AcceleratorError: there is none.
            RuntimeError: this is a forked process, which cannot use the device.
        """
        if getpid() != self._process:
            raise meant(errors.forked(self.type))
        if not 0 <= index < self.count:
            raise meant(errors.invalid_ordinal(self.type))
        return self.all[index]

    def place(self, device: Any) -> torch.device:
        """What a device argument names, with the current device's index where it names none.

        Raises:
            torch.AcceleratorError: the index is that of no device.
        """
        if isinstance(device, int):
            return self.at(device)
        named = device if isinstance(device, torch.device) else torch.device(device)
        if named.type != self.type:
            return named
        return self.at(self.current if named.index is None else named.index)

    def label(self, place: torch.device) -> torch.device | None:
        """The label of tensors at a place: None unless it is simulated."""
        return place if place.type == self.type else None

    def real(self, place: torch.device) -> torch.device:
        """Where tensors at a place really are."""
        return HOST if place.type == self.type else place

    def index_of(self, device: Any = None) -> int:
        """The index that an argument of `torch.cuda`'s functions names; None is the current device."""
        if device is None:
            return self.current
        if isinstance(device, int):
            return device
        if isinstance(device, str):
            device = torch.device(device)
        if not isinstance(device, torch.device) or device.type != self.type:
            raise ValueError(f"Expected a {self.type} device, but got: {device}")
        return self.current if device.index is None else device.index
