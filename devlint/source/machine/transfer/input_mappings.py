"""Inputs that are mappings, such as a batch to which a program assigns tensors by name."""

from __future__ import annotations

from devlint.model import UNKNOWN
from devlint.source.machine.domain.inputs import Input, device_of_parts, of_input
from devlint.source.machine.domain.values import Known, Scalar, Tensor, Top, Value
from devlint.source.machine.heap.objects import Container


def is_item_of_mapping(owner: Input, key: Value, held: Value) -> bool:
    """Whether `owner[key] = held` sets an item of a mapping and does not write into a tensor: the key is a
    name, or unknown while the value is on another device, so that a tensor would copy it."""
    if not isinstance(held, (Tensor, Input)):
        return False
    if isinstance(key, (Known, Scalar)):
        return isinstance(key.value, str) if isinstance(key, Known) else key.type == "str"
    return isinstance(key, (Top, Input)) and held.device != owner.device


def as_mapping(owner: Input, key: Value, held: Value) -> Container:
    """The input as a mapping with a new item. A key that varies stands for all keys, as in
    `for key in batch: batch[key] = batch[key].cuda()`.

    Other names of the mapping, such as that of a caller, have its items there too, or, if it is one item that
    was moved, it is not known where they have each.
    """
    assert isinstance(held, (Tensor, Input))
    if not isinstance(key, Known):
        owner.moved_in_place = held.device
        return Container("dict", element=held)
    mapping = Container("dict", element=of_input(owner, owner.born))
    mapping.cells[key.value] = held
    if held.device != device_of_parts(owner):
        owner.moved_in_place = UNKNOWN
    return mapping
