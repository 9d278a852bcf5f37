"""Process groups of `torch.distributed`."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import Setting, SettingKind
from devlint.source import ir
from devlint.source.machine.domain.values import NONE, Known, Value
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators.binding import value_of

_INIT = "torch.distributed.init_process_group"


def _init_process_group(
    machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """NCCL works on the current device, unless the group is given one."""
    backend = value_of(passed, "backend", 0)
    device = value_of(passed, "device_id")
    names_nccl = isinstance(backend, Known) and "nccl" in str(backend.value).lower()
    if names_nccl and device in (None, NONE) and not any(each.stars == 2 for each in passed):
        kind = SettingKind.NCCL_WITHOUT_DEVICE
        event = Setting(frame.site(node), None, machine.root_confidence, kind, _INIT)
        machine.process.facts.groups.append(event)
    return NONE


def settle(machine: Machine) -> None:
    """Note the groups of a program that chooses no current device anywhere."""
    facts = machine.process.facts
    if machine.asks_for(SettingKind.NCCL_WITHOUT_DEVICE) and not facts.chooses_device:
        for event in facts.groups:
            machine.note(event)


DISTRIBUTED: dict[str, Handler] = {
    _INIT: _init_process_group,
    "torch.distributed.distributed_c10d.init_process_group": _init_process_group,
}
