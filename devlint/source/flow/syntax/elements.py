"""What comes out of a value that is iterated, indexed or taken apart."""

from __future__ import annotations

from dataclasses import replace

from devlint.source import ir
from devlint.source.flow.modules.layers import CONTAINERS_OF_MODULES, HOLDERS_OF_PARAMETERS
from devlint.source.flow.state.lattice import join, join_all
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Batch,
    Container,
    Instance,
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
        case Module(name="torch.nn.ModuleDict" | "torch.nn.ParameterDict"):
            return SCALAR
        case Module():
            return part_of(value)
        case Literal(value=str()):
            return SCALAR
        case _:
            return TOP


def members(container: Container) -> list[Value]:
    """All that is known to be in a list or dict, and in those inside it."""
    held = [container.element, *(item for _, item in container.items or ())]
    inner = [member for each in held if isinstance(each, Container) for member in members(each)]
    return [*held, *inner]


def _as_tuple(value: Instance) -> list[Value]:
    """What a named tuple was made of, in order; nothing, where that is not known or it is none."""
    given = dict(value.fields)
    is_tuple = "typing.NamedTuple" in value.info.outside and given.keys() >= set(value.info.stated)
    return [given[name] for name in value.info.stated] if is_tuple else []


def part_of(module: Module) -> Value:
    """What a module that is a list or a dict holds: it lies where the whole does."""
    if module.name in CONTAINERS_OF_MODULES:
        return Module(module.device, evident=False)
    if module.name in HOLDERS_OF_PARAMETERS:
        return Tensor(module.device, module.origin, evident=module.evident, anchor=module.anchor)
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
            if isinstance(key, int) and key < 0 and not _is_open(value):
                key += len(items)
            return next((held for name, held in items if name == key), element)
        case Container(element=element):
            return element
        case Batch():
            return value
        case Instance() if isinstance(key, int):
            parts = _as_tuple(value)
            return parts[key] if -len(parts) <= key < len(parts) else TOP
        case _:
            return TOP


def unpack(value: Value, count: int) -> list[Value]:
    """The values that `a, b = value` binds."""
    match value:
        case Container(items=items) if items is not None and len(items) == count:
            return [held for _, held in items]
        case Container() if _is_open(value):
            return _unpack_open(value, count)
        case Container(element=element):
            return [element] * count
        case Instance() if len(_as_tuple(value)) == count:
            return _as_tuple(value)
        case Tensor():
            return [replace(value, rank0=None, untouched=False)] * count
        case Batch(tensor=tensor):
            # What a batch is made of need not be tensors all the way down, but what is used as one is.
            return [Batch(tensor)] * count
        case Alternatives():
            return [TOP] * count
        case _:
            return [TOP] * count


def _is_open(value: Container) -> bool:
    """Whether it was written with a star, so that it has more items than are seen."""
    return value.items is not None and any(key is None for key, _ in value.items)


def _unpack_open(value: Container, count: int) -> list[Value]:
    """`a, b, c = *pair, last`: what stands before and behind the star is known, and of the rest any is."""
    items = value.items or ()
    within = join_all([held for key, held in items if key is None])
    known = {key: held for key, held in items if isinstance(key, int)}
    return [known.get(at, known.get(at - count, within)) for at in range(count)]


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


def slice_or_any(node: ir.Subscript, value: Container | Instance) -> Value:
    """What an index gives that is not known: a part of the list, or any one of its elements."""
    is_slice = len(node.indices) == 1 and isinstance(node.indices[0], ir.Slice)
    if is_slice and isinstance(value, Container):
        return replace(value, items=None, element=iterate(value))
    return iterate(value)
