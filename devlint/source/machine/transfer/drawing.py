"""Values that a turn of a loop draws from what was created before the loop."""

from __future__ import annotations

from devlint.source.machine.domain.inputs import Input, born_in
from devlint.source.machine.domain.loops import is_inside
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    Array,
    Cells,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import data
from devlint.source.machine.operators.shapes import bytes_of
from devlint.source.machine.transfer.interpreter import Interpreter


def drawn(machine: Interpreter, item: Value, within: frozenset[Container] = frozenset()) -> Value:
    """A value as drawn by a turn of the innermost loop: another one in each turn, whenever it was created.
    `within` are the containers that hold it, of which one may hold itself."""
    loop = machine.execution.loop
    match item:
        case Tensor():
            batch = changed(item, born=loop, serial=new_serial())
            if item.serial in machine.listed:
                machine.listed[batch.serial] = machine.listed[item.serial]
            is_measured = item.pinned is not None or bytes_of(item) is not None
            return batch if is_measured else data.in_memory(machine, batch, pinned=False)
        case Input():
            return born_in(item, loop)
        case Array():
            return changed(item, drawn=True, held=True, written=loop)
        case Union(alternatives=members):
            return Union(tuple(drawn(machine, each, within) for each in members))
        case Reference(target=Container() as held) if _is_sequence_of_data(held) and held not in within:
            twin = Container(held.kind)
            around = within | {held}
            twin.cells = {key: drawn(machine, each, around) for key, each in held.cells.items()}
            return machine.adopt(twin) if held.kind == "tuple" else item
        case Reference(target=Instance() as instance):
            machine.store.draw(instance, loop)
            return item
        case _:
            return item


def drawn_by_key(machine: Interpreter, item: Value) -> Value:
    """An element that a turn of the innermost loop draws, where it is known which one. What a comprehension
    finds is the same each time, if it was made before the loops around the comprehension."""
    loop = machine.execution.loop
    if loop is not None and loop.of_expression and not loop.drew and isinstance(item, Tensor):
        return (
            drawn(machine, item) if is_inside(item.born, loop.outer) else changed(item, serial=new_serial())
        )
    return drawn(machine, item)


class Draw:
    """What a data loader gives to each turn: new objects with the same contents."""

    def __init__(self, items: list[Value]) -> None:
        self._contents: dict[Object, Cells] = {}
        for each in items:
            self._note(each)

    def _note(self, item: Value) -> None:
        for each in alternatives(item):
            held = each.target if isinstance(each, Reference) else None
            if isinstance(held, (Container, Instance)) and held not in self._contents:
                self._contents[held] = dict(held.cells)
                for inner in held.cells.values() if isinstance(held, Container) else ():
                    self._note(inner)

    def repeat(self, machine: Interpreter) -> None:
        """Undo what the turn before has done to what it was given."""
        for held, cells in self._contents.items():
            for key in [key for key in held.cells if key not in cells]:
                machine.store.write(held, key, None)
            for key, value in cells.items():
                if held.cells.get(key) is not value:
                    machine.store.write(held, key, value)


def _is_sequence_of_data(held: Container) -> bool:
    if held.kind not in ("tuple", "list"):
        return False
    return any(isinstance(each, (Array, Tensor, Reference, Union)) for each in held.cells.values())
