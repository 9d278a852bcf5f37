"""NumPy arrays from which tensors are made.

Each call makes new memory, or a new view of the array's, although the values are the same. What is kept about
an array is kept as long as the array that owns the memory. NumPy is not imported: an array is recognized by
its interface.
"""

from __future__ import annotations

import weakref
import zlib
from typing import Any

import torch
from torch._C import DisableTorchFunction

LARGEST_COMPARED = 1 << 24
"""The size in bytes up to which values are compared. A checksum of as many takes some 10 milliseconds."""

_KNOWN: dict[int, tuple[weakref.ref[Any], dict[Any, Any]]] = {}
"""The arrays, by identity, with what is kept about them."""


def kept_about(array: object) -> dict[Any, Any] | None:
    """What is kept about an array or the one of which it is a view; None if it is no array."""
    if not hasattr(array, "__array_interface__") or isinstance(array, torch.Tensor):
        return None
    owner: Any = array
    while hasattr(getattr(owner, "base", None), "__array_interface__"):
        owner = owner.base
    key = id(owner)
    if key not in _KNOWN:
        try:
            _KNOWN[key] = weakref.ref(owner, lambda _: _KNOWN.pop(key, None)), {}
        except TypeError:
            return None
    return _KNOWN[key][1]


def checksum(tensor: torch.Tensor) -> int | None:
    """A checksum of a tensor's values; None if they are too many, or not in host memory."""
    if tensor.device.type != "cpu" or tensor.numel() * tensor.element_size() > LARGEST_COMPARED:
        return None
    try:
        with DisableTorchFunction():
            values = tensor.detach().contiguous().flatten().view(torch.uint8)
            return zlib.crc32(values.numpy().tobytes())
    except (RuntimeError, TypeError):
        return None
