"""Storages: their device, their creation and their moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices
from devlint.simulation.labels import label_storage, storage_label


def patch(patches: Patches, devices: Devices) -> None:
    """Replace the device and the constructor of storages; torch implements moves with both."""
    kind: Any = torch.UntypedStorage
    true_device, make = kind.device, kind.__new__
    sending = _Sending()

    def device(storage: Any) -> torch.device:
        label = None if sending.now else storage_label(storage)
        return true_device.__get__(storage) if label is None else label

    def new(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        place = None if device is None else devices.place(device)
        if place is None or devices.label(place) is None:
            return make(cls, *args, **kwargs if place is None else {**kwargs, "device": place})
        storage = make(cls, *args, **kwargs)
        label_storage(storage, place)
        return storage

    patches.replace(kind, "device", property(device))
    patches.replace(kind, "__new__", new)
    reducers: dict[type, Any] = ForkingPickler._extra_reducers  # type: ignore[attr-defined] # no public name
    for owner, reduce in list(reducers.items()):
        if issubclass(owner, (torch.Tensor, torch.UntypedStorage, torch.TypedStorage)):
            patches.replace_item(reducers, owner, sending.wrap(reduce))


class _Sending(threading.local):
    """Whether a storage is being sent to another process, for which torch needs the real kind of memory."""

    now = False

    def wrap(self, reduce: Callable[..., Any]) -> Callable[..., Any]:
        """A function that pickles with the real devices."""

        def send(value: Any) -> Any:
            with self._sent():
                return reduce(value)

        return send

    @contextmanager
    def _sent(self) -> Iterator[None]:
        self.now = True
        try:
            yield
        finally:
            self.now = False
