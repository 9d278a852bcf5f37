"""Methods that classes of the project inherit from `dict` and `list`."""

from __future__ import annotations

from devlint.source.machine.domain.values import NONE, External, Reference, Value
from devlint.source.machine.heap.derived_containers import as_dict, as_list
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.container_methods import call_container, put

OF_LISTS = frozenset(
    {"append", "clear", "copy", "extend", "index", "insert", "pop", "remove", "reverse", "sort"}
)


def call_dict(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """A method that a class of the project inherits from `dict`."""
    machine.read(target)
    held = as_dict(target)
    if name == "__init__":
        return _filled(machine, target, machine.call(External("builtins.dict"), call))
    if name == "__setitem__" and len(call.passed) == 2:
        put(machine, held, call.first, call.passed[1].value)
        return NONE
    return call_container(machine, held, "get" if name == "__getitem__" else name, call)


def call_list(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """A method that a class of the project inherits from `list`."""
    machine.read(target)
    if name == "__init__":
        return _filled(machine, target, machine.call(External("builtins.list"), call))
    return call_container(machine, as_list(target), name, call)


def _filled(machine: Machine, target: Instance, made: Value) -> Value:
    """Copy the elements of a dict or a list to a new object."""
    for key, each in made.target.cells.items() if isinstance(made, Reference) else ():
        machine.store.write(target, key, each)
    return NONE
