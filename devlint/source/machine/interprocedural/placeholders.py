"""Names of a file that a function of it sets, by `global`: `DEVICE = None`, until somebody has chosen one.

What nothing at hand calls may be called after such a function, so that what the file itself binds such a name to
says little of it.
"""

from __future__ import annotations

from devlint.model import Concrete
from devlint.source import ir
from devlint.source.machine.domain.values import TOP, DeviceValue, Known, Value
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Machine
from devlint.source.walk import walk


def doubt_names(machine: Machine, file: File) -> None:
    """Before what a file defines is tried: forget what functions of the file may have replaced by then."""
    for name in _set_by_functions(file) if file.redirects else ():
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


def _set_by_functions(file: File) -> set[str]:
    """The names that some function sets without reading them; one that reads them too makes them when they
    are first asked for."""
    found: set[str] = set()
    for function in walk(file.body, into_scopes=True):
        if isinstance(function, ir.Function):
            own = list(walk(function.body))
            declared = {
                name for each in own if isinstance(each, ir.Outer) and each.is_global for name in each.names
            }
            if declared:
                assigned = [
                    each for node in own if isinstance(node, ir.Assign) for each in walk(node.targets)
                ]
                targets = {each.id for each in assigned if isinstance(each, ir.Name)}
                names = [each for each in own if isinstance(each, ir.Name) and each.name in declared]
                read = {each.name for each in names if each.id not in targets}
                found |= {each.name for each in names} - read
    return found
