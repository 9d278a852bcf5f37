"""Inspection of a program's objects without running code of the program.

Types are tested instead of objects, because `isinstance` may call the `__class__` of a proxy, and a class may
override `device`. Containers are read by the methods of the built-in types.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeGuard, cast

import torch

from devlint.model import Concrete

MAX_DEPTH = 3
"""How many levels of nested containers are searched."""
MAX_ITEMS = 1000
"""How many items of a container are searched."""

_device = torch.Tensor.device.__get__


def is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    """Whether the type of a value is that of tensors."""
    return issubclass(type(value), torch.Tensor)


def is_module(value: object) -> TypeGuard[torch.nn.Module]:
    """Whether the type of a value is that of modules."""
    return issubclass(type(value), torch.nn.Module)


def is_generator(value: object) -> TypeGuard[torch.Generator]:
    """Whether the type of a value is that of generators. A simulation may replace `torch.Generator`."""
    return issubclass(type(value), torch._C.Generator)


def device_of(tensor: torch.Tensor) -> Concrete:
    """The device according to torch or the simulation, even if the tensor's class overrides `device`."""
    with torch._C.DisableTorchFunctionSubclass():
        device: torch.device = _device(tensor)
    return concrete(device)


def concrete(device: torch.device) -> Concrete:
    """Convert a device of torch to a device of devlint."""
    return Concrete(device.type, None if device.type == "cpu" else device.index)


def memory_of(tensor: torch.Tensor) -> int | None:
    """The identity of a tensor's memory, which its views share; None for tensors without own memory."""
    try:
        with torch._C.DisableTorchFunctionSubclass():
            memory: int = torch.Tensor.untyped_storage(tensor)._cdata
    except (RuntimeError, NotImplementedError, TypeError):  # sparse tensors, functional wrappers
        return None
    return memory


def attributes_of(value: object) -> dict[str, object]:
    """The attributes of an object that are stored in its `__dict__`."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def items_of(value: object) -> Iterator[tuple[str, object]]:
    """The items of a list, tuple or dict, each with its index as text: `[0]`, `['mask']`."""
    kind = type(value)
    items: Iterator[tuple[object, object]] = iter(())
    if issubclass(kind, list):
        items = enumerate(list.__iter__(cast("list[object]", value)))
    elif issubclass(kind, tuple):
        items = enumerate(tuple.__iter__(cast("tuple[object, ...]", value)))
    elif issubclass(kind, dict):
        items = iter(dict.items(cast("dict[object, object]", value)))
    for key, item in islice(items, MAX_ITEMS):
        yield f"[{key!r}]" if type(key) in (str, int) else "[…]", item


def within(value: object, depth: int = MAX_DEPTH) -> Iterator[tuple[str, object]]:
    """The value, or all items of nested containers, each with its indices as text."""
    if depth and issubclass(type(value), list | tuple | dict):
        for key, item in items_of(value):
            for rest, found in within(item, depth - 1):
                yield key + rest, found
    else:
        yield "", value
