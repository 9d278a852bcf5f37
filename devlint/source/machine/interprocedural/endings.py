"""What follows when a program, or a part of it that is tried by itself, has come to its end."""

from __future__ import annotations

from devlint.source.machine.domain.values import NONE, Cells
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.process import Process
from devlint.source.machine.library import data, distributed, environment
from devlint.source.machine.modules import registration
from devlint.source.machine.operators import availability, implicit, pinning


def left_by(process: Process) -> Cells:
    """What the import of a file has left in the process."""
    return {key: held for key, held in process.cells.items() if held != NONE}


def imported(machine: Machine, left: Cells) -> None:
    """Let what importing a file leaves in the process be so in this one."""
    for key, held in left.items():
        if machine.process.cells[key] == NONE:
            machine.store.write(machine.process, key, held)


def at_end(machine: Machine) -> None:
    """The end of a program, or of what is tried of it."""
    data.draw_what_is_left(machine)
    environment.note_blocking(machine)


def settle(machine: Machine) -> None:
    """The end of a run: now it is known what else the program does."""
    distributed.settle(machine)
    availability.settle(machine)
    pinning.settle(machine)
    implicit.settle(machine)
    registration.settle(machine)
