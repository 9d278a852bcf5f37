"""Names of a file that a function of it sets, by `global`: `DEVICE = None`, until somebody has chosen one.

What nothing at hand calls may be called after such a function, so that what the file itself binds such a name
to says little of it.
"""

from __future__ import annotations

from devlint.model import Concrete
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Value
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Machine


def doubt_names(machine: Machine, file: File) -> None:
    """Before what a file defines is tried: forget what functions of the file may have replaced by then."""
    for name in file.set_by_functions:
        if _may_be_placeholder(file.scope.cells.get(name)):
            machine.store.write(file.scope, name, TOP)


def _may_be_placeholder(held: Value | None) -> bool:
    """Whether a name is bound to nothing yet, or to a device."""
    match held:
        case Known(value=None | str()):
            return True
        case DeviceValue(device=Concrete()):
            return True
        case _:
            return False
