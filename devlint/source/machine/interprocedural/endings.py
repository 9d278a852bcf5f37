"""The effects of the end of a program, or of a part of it that is tried separately."""

from __future__ import annotations

from devlint.source.machine.domain.values import Cells
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.process import INITIAL, Process
from devlint.source.machine.library import data, distributed, environment
from devlint.source.machine.modules import registration
from devlint.source.machine.operators import accelerator, availability, implicit, pinning


def left_by(process: Process) -> Cells:
    """The effect of a file's import on the process."""
    return {key: held for key, held in process.cells.items() if held != INITIAL[key]}


def imported(machine: Machine, left: Cells) -> None:
    """Apply the effect of a file's import to this process."""
    for key, held in left.items():
        if machine.process.cells[key] == INITIAL[key]:
            machine.store.write(machine.process, key, held)


def at_end(machine: Machine) -> None:
    """The end of a program, or of the part that is tried."""
    data.draw_what_is_left(machine)
    environment.note_blocking(machine)
    accelerator.note_late(machine)


def settle(machine: Machine) -> None:
    """The end of a run, when the whole behavior of the program is known."""
    distributed.settle(machine)
    availability.settle(machine)
    pinning.settle(machine)
    implicit.settle(machine)
    registration.settle(machine)
