"""Narrowing by use: tensors and lists have no `items()`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import Array, Reference, Tensor, Union, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter

OF_DICTS = frozenset({"get", "items", "keys", "popitem", "setdefault", "update"})
"""Attributes of dicts that tensors, arrays and lists do not have."""


def is_key(indices: tuple[ir.Expression, ...]) -> bool:
    """Whether an index is a literal string."""
    match indices:
        case (ir.Constant(value=str()),):
            return True
        case _:
            return False


def used_as_dict(machine: Interpreter, held: Value, expression: ir.Expression, frame: Frame) -> Value:
    """A value after a use as a dict; its cell is narrowed too."""
    if not isinstance(held, Union) or not any(map(_is_dict, held.alternatives)):
        return held
    left = join_all(each for each in held.alternatives if not _is_something_else(each))
    place = cell(machine, expression, frame)
    if place is not None and left != held:
        machine.store.write(*place, left)
    return left


def _is_dict(held: Value) -> bool:
    target = held.target if isinstance(held, Reference) else None
    return isinstance(target, Container) and target.kind == "dict"


def _is_something_else(held: Value) -> bool:
    """Whether a value is a tensor, an array, a list or a tuple, or an input that may have become the dict."""
    target = held.target if isinstance(held, Reference) else None
    is_sequence = isinstance(target, Container) and target.kind in ("list", "tuple")
    return is_sequence or isinstance(held, (Tensor, Array, Input))
