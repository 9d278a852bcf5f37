"""Looking at a program's objects without running the program's code.

Types are asked, never objects: `isinstance` may call a proxy's `__class__`, and a class may define `device`
anew. What is looked for in containers is looked for with the built-in types' own methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeGuard, cast

import torch

from devlint.model import Concrete

MAX_DEPTH = 3
"""How far containers within containers are followed."""
MAX_ITEMS = 1000
"""How many items of one container are looked at."""

_device = torch.Tensor.device.__get__


def is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    """Whether a value is a tensor by its type."""
    return issubclass(type(value), torch.Tensor)


def is_module(value: object) -> TypeGuard[torch.nn.Module]:
    """Whether a value is a module by its type."""
    return issubclass(type(value), torch.nn.Module)


def is_generator(value: object) -> TypeGuard[torch.Generator]:
    """Whether a value is a generator by its type. `torch.Generator` may be a stand-in that makes them."""
    return issubclass(type(value), torch._C.Generator)


def device_of(tensor: torch.Tensor) -> Concrete:
    """Where a tensor is, as torch says, and not what its class says; a simulation may answer for torch."""
    with torch._C.DisableTorchFunctionSubclass():
        device: torch.device = _device(tensor)
    return concrete(device)


def concrete(device: torch.device) -> Concrete:
    """Torch's device in devlint's words."""
    return Concrete(device.type, None if device.type == "cpu" else device.index)


def memory_of(tensor: torch.Tensor) -> int | None:
    """The memory that a tensor lies in, which its views share; None where it has none of its own."""
    try:
        with torch._C.DisableTorchFunctionSubclass():
            memory: int = torch.Tensor.untyped_storage(tensor)._cdata
    except (RuntimeError, NotImplementedError, TypeError):  # sparse tensors, functional wrappers
        return None
    return memory


def attributes_of(value: object) -> dict[str, object]:
    """An object's own attributes; nothing of what its class computes."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def items_of(value: object) -> Iterator[tuple[str, object]]:
    """What a list, tuple or dict holds, each with how it is reached: `[0]`, `['mask']`."""
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
    """A value itself, or all that a container holds at any depth, each with how it is reached."""
    if depth and issubclass(type(value), list | tuple | dict):
        for key, item in items_of(value):
            for rest, found in within(item, depth - 1):
                yield key + rest, found
    else:
        yield "", value
