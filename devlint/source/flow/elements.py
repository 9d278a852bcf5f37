"""What comes out of a value that is iterated, indexed or taken apart."""

from __future__ import annotations

from dataclasses import replace

from devlint.source import ir
from devlint.source.flow.lattice import join, join_all
from devlint.source.flow.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Batch,
    Container,
    Literal,
    Loader,
    Module,
    Tensor,
    Value,
)


def iterate(value: Value) -> Value:
    """What a `for` draws from a value."""
    match value:
        case Container(items=items, element=element):
            return join_all([item for _, item in items]) if items else element
        case Loader(element=element):
            return element
        case Tensor():
            return replace(value, rank0=None, walked=True, untouched=False)
        case Batch():
            return value
        case Array():
            return SCALAR
        case Module(name="torch.nn.ModuleList" | "torch.nn.Sequential"):
            return Module(value.device, evident=False)
        case Literal(value=str()):
            return SCALAR
        case _:
            return TOP


def element_of(value: Value) -> Value:
    """What an unknown key or position of a container holds."""
    match value:
        case Container(element=element):
            return element
        case _:
            return TOP


def item(value: Value, key: object) -> Value:
    """What stands at a known key or position of a container."""
    match value:
        case Container(items=items, element=element) if items is not None:
            if isinstance(key, int) and key < 0:
                key += len(items)
            return next((held for name, held in items if name == key), element)
        case Container(element=element):
            return element
        case Batch():
            return value
        case _:
            return TOP


def unpack(value: Value, count: int) -> list[Value]:
    """The values that `a, b = value` binds."""
    match value:
        case Container(items=items) if items is not None and len(items) == count:
            return [held for _, held in items]
        case Container(element=element):
            return [element] * count
        case Tensor():
            return [replace(value, rank0=None, untouched=False)] * count
        case Batch(tensor=tensor):
            # What a batch is made of need not be tensors all the way down, but what is used as one is.
            return [Batch(tensor)] * count
        case Alternatives():
            return [TOP] * count
        case _:
            return [TOP] * count


def with_item(holder: Container, key: Value, value: Value) -> Container:
    """A list or dict after `holder[key] = value`."""
    grown = value if holder.items == () else join(iterate(holder), value)
    if not isinstance(key, Literal):
        # At a key that is not known it may replace what was there: `batch[k] = batch[k].to(device)`.
        return Container(value if holder.items == () or grown == iterate(holder) else TOP)
    if holder.items is None:
        return Container(grown)
    items = tuple((name, held) for name, held in holder.items if name != key.value)
    return Container(grown, (*items, (key.value, value)))


def slice_or_any(node: ir.Subscript, value: Container) -> Value:
    """What an index gives that is not known: a part of the list, or any one of its elements."""
    if len(node.indices) == 1 and isinstance(node.indices[0], ir.Slice):
        return replace(value, items=None, element=iterate(value))
    return iterate(value)
