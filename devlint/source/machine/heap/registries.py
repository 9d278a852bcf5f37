"""Dicts in which files register classes and functions when they are imported."""

from __future__ import annotations

from devlint.source.machine.domain.values import External, Known, Object, Reference, Value, alternatives
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.machine import Machine


def await_registration(machine: Machine, registry: Object, key: Value) -> None:
    """Execute files that the program imports, and whose names it does not use, if one of them may register
    the key that is looked up."""
    if not isinstance(key, Known) or not isinstance(key.value, str) or key.value in registry.cells:
        return
    name = key.value
    if all(map(_may_be_registered, registry.cells.values())):
        machine.import_for(registry, name, lambda: name in registry.cells)


def _may_be_registered(held: Value) -> bool:
    return all(
        isinstance(each, External)
        or (isinstance(each, Reference) and isinstance(each.target, Class | Function))
        for each in alternatives(held)
    )
