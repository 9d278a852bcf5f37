"""Values that a turn of a loop draws from what was created before the loop."""

from __future__ import annotations

from devlint.source.machine.domain.values import (
    Array,
    Reference,
    Tensor,
    Union,
    Value,
    changed,
    new_serial,
)
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import data
from devlint.source.machine.operators.shapes import bytes_of
from devlint.source.machine.transfer.interpreter import Interpreter


def drawn(machine: Interpreter, item: Value) -> Value:
    """A value as drawn by a turn of the innermost loop: another one in each turn, whenever it was created."""
    loop = machine.execution.loop
    match item:
        case Tensor():
            batch = changed(item, born=loop, serial=new_serial())
            is_measured = item.pinned is not None or bytes_of(item) is not None
            return batch if is_measured else data.in_memory(machine, batch, pinned=False)
        case Array():
            return changed(item, drawn=True)
        case Union(alternatives=members):
            return Union(tuple(drawn(machine, each) for each in members))
        case Reference(target=Container() as held) if held.kind in ("tuple", "list") and _holds_data(held):
            twin = Container(held.kind)
            twin.cells = {key: drawn(machine, each) for key, each in held.cells.items()}
            return machine.adopt(twin) if held.kind == "tuple" else item
        case Reference(target=Instance() as instance):
            machine.store.draw(instance, loop)
            return item
        case _:
            return item


def _holds_data(held: Container) -> bool:
    return any(isinstance(each, (Array, Tensor, Reference, Union)) for each in held.cells.values())
