"""Attribute lookup in classes: attributes in the order of the bases, fields of records."""

from __future__ import annotations

from devlint.source.machine.domain.values import External, Reference, Value
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.objects import Instance


def class_lookup(of: Class | str, name: str) -> tuple[Value | None, Class | None]:
    """An attribute of a class or of one of its bases, and the class that has it."""
    if isinstance(of, str):
        return None, None
    for each in of.order:
        if isinstance(each, Class):
            held = each.cells.get(name)
            if held is not None:
                return held, each
    return None, None


def class_of(instance: Instance) -> Value:
    """The class of an object."""
    return External(instance.of) if isinstance(instance.of, str) else Reference(instance.of)


def fields_of(made: Class) -> list[str]:
    """The fields of a record, those of its bases first."""
    names: dict[str, None] = {}
    for each in reversed(made.order):
        if isinstance(each, Class):
            names.update(dict.fromkeys(each.fields))
    return list(names)
