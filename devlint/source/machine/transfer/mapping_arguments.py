"""The arguments that `**mapping` gives, if the keys of the mapping are not known."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source.machine.domain.entries import EntryOf, Given, entry_of
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import TOP, Known, Reference, Value
from devlint.source.machine.heap.objects import ELEMENT, Container


def known_entries(mapping: Value) -> Iterator[tuple[str, Value]]:
    """What `**mapping` gives by names that are known."""
    if isinstance(mapping, Reference) and isinstance(mapping.target, Container):
        for name, held in mapping.target.cells.items():
            if isinstance(name, str) and name != ELEMENT:
                yield name, held


def entries(mapping: Value) -> Value:
    """What `**mapping` gives, if the keys are not known."""
    match mapping:
        case Reference(target=Container(element=element)) if element is not None:
            return element
        case Input(number=number):
            return EntryOf(of=number)
        case _:
            return EntryOf(of=new_serial())


def given(name: str, default: Value | None, more: Value | None) -> Value:
    """An argument that nothing gives, except perhaps one of the entries of a mapping."""
    if more is None:
        return TOP if default is None else default
    return Given(entry=entry_of(more, name), default=default) if isinstance(default, Known) else TOP
