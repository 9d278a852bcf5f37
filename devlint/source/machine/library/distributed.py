"""Process groups of `torch.distributed`, and modules that it distributes."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import CPU, Setting, SettingKind
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import NONE, DeviceValue, Known, Reference, Tensor, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.process import BACKEND
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.modules import state
from devlint.source.machine.operators.availability import note_needed
from devlint.source.walk import text

_INIT = "torch.distributed.init_process_group"
_NCCL = Known("nccl")
_COLLECTIVES = {
    **dict.fromkeys(
        ("all_gather", "all_gather_into_tensor", "all_reduce", "all_to_all", "broadcast", "irecv", "isend",
         "recv", "send"),
        2,
    ),
    **dict.fromkeys(("gather", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter"), 3),
    "all_to_all_single": 4,
}  # fmt: skip
"""Functions that communicate tensors, which needs a backend of their group for the devices of these; with the
position of the argument `group`."""


def _init_process_group(machine: Machine, call: Call) -> Value:
    """Record a process group without a device. NCCL then uses the current device."""
    backend = call.value("backend", 0)
    device = call.value("device_id")
    names_nccl = isinstance(backend, Known) and "nccl" in str(backend.value).lower()
    if names_nccl and device in (None, NONE) and not any(each.stars == 2 for each in call.passed):
        kind = SettingKind.NCCL_WITHOUT_DEVICE
        event = Setting(call.site, None, machine.root_confidence, kind, _INIT)
        machine.process.facts.groups.append(event)
    if names_nccl:
        note_needed(machine, call.site, _INIT, function=_INIT)
    only_nccl = isinstance(backend, Known) and str(backend.value).lower() == _NCCL.value
    machine.store.write(machine.process, BACKEND, _NCCL if only_nccl else NONE)
    return NONE


def _collective(name: str, group: int) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        """Communicate tensors. NCCL raises if all of them are on the host."""
        machine.read(machine.process)
        if machine.process.known(BACKEND) == _NCCL and call.value("group", group) in (None, NONE):
            operands = [each for passed in call.passed for each in _tensors(passed)]
            if operands and all(each.device == CPU for _, each in operands):
                passed, tensor = operands[0]
                _note_host_tensor(machine, call, name, passed, tensor)
        return machine.presumed(call)

    return handler


def _tensors(passed: Passed) -> Iterable[tuple[Passed, Tensor]]:
    """The tensors of an argument: itself, or the items of a list."""
    match passed.value:
        case Tensor() as tensor:
            yield passed, tensor
        case Reference(target=Container(items=items)):
            yield from ((passed, each) for each in items if isinstance(each, Tensor))


def _note_host_tensor(machine: Machine, call: Call, name: str, passed: Passed, tensor: Tensor) -> None:
    surely = least_sure(tensor.confidence, machine.root_confidence)
    last = tensor.origin.last
    kind, created = SettingKind.HOST_TENSOR_IN_COLLECTIVE, None if last is None else last.site
    machine.setting(kind, call.site, name, text(passed.expression), created, confidence=surely)


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
    **{
        f"torch.distributed.{each}": _collective(f"torch.distributed.{each}", group)
        for each, group in _COLLECTIVES.items()
    },
    _FULLY_SHARD: _sharded(_FULLY_SHARD),
    "torch.distributed._composable.fsdp.fully_shard": _sharded(_FULLY_SHARD),
    _INIT: _init_process_group,
    "torch.distributed.distributed_c10d.init_process_group": _init_process_group,
}
