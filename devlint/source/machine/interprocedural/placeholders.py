"""Global names that a function of the file sets by `global`, with an initial placeholder: `DEVICE = None`.

A function that nothing in the project calls may be called after such a function, so the initial value says
little.
"""

from __future__ import annotations

from devlint.model import Concrete
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Value
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Machine


def doubt_names(machine: Machine, file: File) -> None:
    """Before a hypothesis: forget the values that functions of the file may have replaced by then."""
    for name in file.set_by_functions:
        if _may_be_placeholder(file.scope.cells.get(name)):
            machine.store.write(file.scope, name, TOP)


def _may_be_placeholder(held: Value | None) -> bool:
    """Whether a name's value may be a placeholder: None, a string, or a device."""
    match held:
        case Known(value=None | str()):
            return True
        case DeviceValue(device=Concrete()):
            return True
        case _:
            return False
