"""The use of a module: a call is device work if the module or an argument is on a device."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.modules import registration, state


def note_call(machine: Machine, instance: Instance, passed: Sequence[Passed]) -> None:
    """Record the call of a module: with tensors or parameters on a device it is device work."""
    registration.note_use(machine, instance)
    stands = state.placement(instance)
    off_host = stands is not None and stands.device != CPU
    has_device_input = any(
        tensor.device != CPU for each in passed if (tensor := tensor_of(each.value)) is not None
    )
    if off_host or has_device_input:
        machine.work += 1
        if machine.execution.loop is not None:
            machine.execution.loop.called_module = True
