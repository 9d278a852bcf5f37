"""Process groups of `torch.distributed`, and modules that it distributes."""

from __future__ import annotations

from devlint.model import Setting, SettingKind
from devlint.source.machine.domain.values import NONE, DeviceValue, Known, Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.modules import state

_INIT = "torch.distributed.init_process_group"


def _init_process_group(machine: Machine, call: Call) -> Value:
    """Record a process group without a device. NCCL then uses the current device."""
    backend = call.value("backend", 0)
    device = call.value("device_id")
    names_nccl = isinstance(backend, Known) and "nccl" in str(backend.value).lower()
    if names_nccl and device in (None, NONE) and not any(each.stars == 2 for each in call.passed):
        kind = SettingKind.NCCL_WITHOUT_DEVICE
        event = Setting(call.site, None, machine.root_confidence, kind, _INIT)
        machine.process.facts.groups.append(event)
    return NONE


def settle(machine: Machine) -> None:
    """Record the groups of a program that nowhere sets the current device."""
    facts = machine.process.facts
    if machine.asks_for(SettingKind.NCCL_WITHOUT_DEVICE) and not facts.chooses_device:
        for event in facts.groups:
            machine.note(event)


def _sharded(name: str) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        """Distribute a module over a mesh of devices, which moves its tensors there."""
        module = state.module_of(call.first)
        if module is not None:
            state.move(machine, module, DeviceValue(machine.accelerator), call.site, name)
        return call.first

    return handler


_FULLY_SHARD = "torch.distributed.fsdp.fully_shard"
"""Moves the states of a module to the device of its mesh (torch/distributed/fsdp/_fully_shard/
_fully_shard.py, `_move_states_to_device`)."""
DISTRIBUTED: dict[str, Handler] = {
    _FULLY_SHARD: _sharded(_FULLY_SHARD),
    "torch.distributed._composable.fsdp.fully_shard": _sharded(_FULLY_SHARD),
    _INIT: _init_process_group,
    "torch.distributed.distributed_c10d.init_process_group": _init_process_group,
}
