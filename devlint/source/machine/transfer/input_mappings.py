"""Inputs that are mappings, as a batch is into which a program writes tensors by their names."""

from __future__ import annotations

from devlint.source.machine.domain.inputs import of_input
from devlint.source.machine.domain.values import Input, Known, Scalar, Tensor, Top, Value
from devlint.source.machine.heap.objects import Container


def is_item_of_mapping(owner: Input, key: Value, held: Value) -> bool:
    """Whether `owner[key] = held` writes an item of a mapping, and not into a tensor: by a name, or by a key
    of which nothing is known, where a tensor on another device would be copied."""
    if not isinstance(held, (Tensor, Input)):
        return False
    if isinstance(key, (Known, Scalar)):
        return isinstance(key.value, str) if isinstance(key, Known) else key.type == "str"
    return isinstance(key, (Top, Input)) and held.device != owner.device


def as_mapping(owner: Input, key: Value, held: Value) -> Container:
    """The input as a mapping with a new item. Who writes by a key that differs writes all of them, as in
    `for key in batch: batch[key] = batch[key].cuda()`."""
    if not isinstance(key, Known):
        return Container("dict", element=held)
    mapping = Container("dict", element=of_input(owner, owner.born))
    mapping.cells[key.value] = held
    return mapping
