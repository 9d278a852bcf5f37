"""Dicts in which files register classes and functions when they are imported."""

from __future__ import annotations

from devlint.source.machine.domain.values import (
    External,
    Known,
    Object,
    Reference,
    Scalar,
    Value,
    alternatives,
)
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance


def await_registration(machine: Machine, registry: Object, key: Value) -> None:
    """Execute files that the program imports, and whose names it does not use, if one of them may register
    the key that is looked up; all of them for a key that is not known, so that the result is the same
    whichever programs were executed before."""
    if not _is_registry(registry):
        return
    if not isinstance(key, Known):
        machine.import_for(registry, "", lambda: False)
    elif isinstance(key.value, str) and key.value not in registry.cells:
        name = key.value
        machine.import_for(registry, name, lambda: name in registry.cells)


def _is_registry(held: Object) -> bool:
    """Whether an object may be a dict of classes and functions only. The cells of an object of a class that
    derives from `dict` are its attributes, too, such as the name of a registry."""
    if isinstance(held, Container) and held.kind != "dict":
        return False
    attributes = (Known, Scalar) if isinstance(held, Instance) else ()
    return all(isinstance(each, attributes) or _may_be_registered(each) for each in held.cells.values())


def _may_be_registered(held: Value) -> bool:
    return all(
        isinstance(each, External)
        or (isinstance(each, Reference) and isinstance(each.target, Class | Function))
        for each in alternatives(held)
    )
