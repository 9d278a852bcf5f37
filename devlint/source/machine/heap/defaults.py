"""The devices of tensors that name none, which a program can set."""

from __future__ import annotations

from devlint.model import UNKNOWN, Device
from devlint.source.machine.domain.values import DeviceValue
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.process import DEFAULT_DEVICE, TENSOR_TYPE


def default_device(machine: Machine) -> Device:
    """The device of factories that name none: unknown if the program sets it on some paths only."""
    return _device(machine, DEFAULT_DEVICE)


def tensor_type_device(machine: Machine) -> Device:
    """The device on which `torch.Tensor(…)` creates tensors. It depends on the default type of tensors, not
    on the default device."""
    return _device(machine, TENSOR_TYPE)


def set_default_device(machine: Machine, device: Device) -> None:
    """Set the device of factories that name none."""
    machine.store.write(machine.process, DEFAULT_DEVICE, DeviceValue(device))


def set_tensor_type(machine: Machine, device: Device) -> None:
    """Set the default type of tensors to one of a device, which is then that of factories as well."""
    set_default_device(machine, device)
    machine.store.write(machine.process, TENSOR_TYPE, DeviceValue(device))


def _device(machine: Machine, key: str) -> Device:
    held = machine.process.cells[key]
    return held.device if isinstance(held, DeviceValue) else UNKNOWN
