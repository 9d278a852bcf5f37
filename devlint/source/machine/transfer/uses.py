"""What a use says of a value that differs by path: tensors have no `items()` and no string as an index."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import Array, Reference, Tensor, Union, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter

OF_DICTS = frozenset({"get", "items", "keys", "pop", "popitem", "setdefault", "update"})
"""Attributes of dicts that neither tensors nor arrays have."""


def is_key(indices: tuple[ir.Expression, ...]) -> bool:
    """Whether an index is a string that is written out."""
    match indices:
        case (ir.Constant(value=str()),):
            return True
        case _:
            return False


def used_as_dict(machine: Interpreter, held: Value, expression: ir.Expression, frame: Frame) -> Value:
    """What is left of a value that is used as a dict, here and from here on."""
    if not isinstance(held, Union) or not any(map(_is_dict, held.alternatives)):
        return held
    left = join_all(each for each in held.alternatives if not isinstance(each, (Tensor, Array)))
    place = cell(machine, expression, frame)
    if place is not None and left != held:
        machine.store.write(*place, left)
    return left


def _is_dict(held: Value) -> bool:
    target = held.target if isinstance(held, Reference) else None
    return isinstance(target, Container) and target.kind == "dict"
