"""The accelerator's runtime: the operations that start it, and the processes that cannot use it."""

from __future__ import annotations

from devlint.model import Device, SettingKind, SiteId, is_accelerator, may_be_accelerator
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Known
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.process import STARTED

SEVERAL_DEVICES = "the number of devices"
"""The flag that is on if the machine has several accelerators."""
NO_DEVICES = "no devices"
"""The flag that is on if the machine has no accelerator."""


def devices_counted(machine: Machine) -> int:
    """The number of accelerators: one, two if the machine has several, or none."""
    if machine.world.get(NO_DEVICES):
        return 0
    machine.ask(SEVERAL_DEVICES)
    return 2 if machine.world.get(SEVERAL_DEVICES) else 1


def use(machine: Machine, site: SiteId, device: Device) -> None:
    """Record that a device is used. An accelerator starts its runtime, which a forked worker cannot do."""
    if not is_accelerator(device):
        return
    start(machine, site)
    note_late(machine)
    worker = machine.worker
    if worker is not None:
        worker.failed = True
        confidence = least_sure(worker.confidence, machine.root_confidence)
        kind = SettingKind.ACCELERATOR_IN_WORKER
        machine.setting(kind, site, str(device), worker.what, confidence=confidence)


def start(machine: Machine, site: SiteId) -> None:
    """Start the accelerator's runtime, unless it is running. It reads its environment variables at this
    point."""
    process = machine.process
    if process.known(STARTED) is None:
        machine.store.write(process, STARTED, Known(int(site)))


def note_late(machine: Machine) -> None:
    """Record the choices of visible devices that were made too late."""
    late, machine.process.facts.late = machine.process.facts.late, []
    for event in late:
        machine.note(event)


def queue(machine: Machine, *devices: Device) -> None:
    """Record work on a device: a later read waits for this work, even if the value has been read before."""
    if any(map(may_be_accelerator, devices)):
        machine.store.arrived = frozenset()


def train(machine: Machine) -> None:
    """Record a backward pass or an optimizer's step. It makes the innermost loop a training loop; outside of
    loops it is counted, because the function may be a training step."""
    loop = machine.execution.loop
    if loop is None:
        machine.trained += 1
    else:
        loop.trained = True


def work(machine: Machine, *devices: Device) -> None:
    """A computation runs on the device of its operands."""
    if any(map(may_be_accelerator, devices)):
        machine.work += 1
        machine.sure_work += any(map(is_accelerator, devices))
