"""Quick tests that a call need not be observed, as is true of most calls, even of observed functions.

A training step makes hundreds of views and dtype conversions, so their cost is the cost of observing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from devlint.runtime.observer.functions import ObservedFunction
from devlint.simulation.labels import place_of
from devlint.tensors.dtypes import is_dtype

_PLAIN_INDEX = (int, slice, type(None), type(Ellipsis))
_NO_DEVICE = (bool, type(None), torch.memory_format)
_NO_DEVICE_KEYWORDS = frozenset({"dtype", "non_blocking", "copy", "memory_format"})


def is_of_no_interest(row: ObservedFunction, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call certainly creates, moves and copies nothing, and does not wait."""
    if row.indexes:
        is_view = len(args) in (2, 3) and _is_plain_index(args[1])
        return (is_view and (len(args) == 2 or _are_together(args[0], args[2]))) or not _touches_device(args)
    if row.copies and len(args) == 2 and _are_together(*args):
        return True
    if row.numbers and not row.makes:
        return not _holds_tensor(args[1:]) and not (kwargs and _holds_tensor(kwargs.values()))
    if row.selects:
        return len(args) == 3 and not any(map(_is_number, args))
    if row.moves:
        return is_lazy(args[0]) or _names_no_device(args, kwargs)
    return not row.makes and not _touches_device(args) and not (kwargs and _touches_device(kwargs.values()))


def has_number_to_read(row: ObservedFunction, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a function that takes numbers may have got a tensor instead of one: `torch.zeros(n)`."""
    return not row.numbers or _holds_tensor(args) or bool(kwargs and _holds_tensor(kwargs.values()))


def _is_plain_index(index: object) -> bool:
    """Whether an index consists of integers and slices, so that the result is a view."""
    if type(index) is tuple:
        return all(map(_is_plain_part, index))
    return _is_plain_part(index)


def _are_together(target: object, written: object) -> bool:
    """Whether two values are tensors on one device."""
    if not (isinstance(target, torch.Tensor) and isinstance(written, torch.Tensor)):
        return False
    return place_of(target) == place_of(written)


def _is_plain_part(part: object) -> bool:
    if type(part) is slice:
        return not (isinstance(part.start, torch.Tensor) or isinstance(part.stop, torch.Tensor))
    return type(part) in _PLAIN_INDEX


def _names_no_device(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a conversion only names a dtype: `.to(torch.float16)`."""
    if len(args) < 2 and not kwargs:
        return False  # `.cuda()` and `.cpu()` name a device by themselves
    named = all(isinstance(value, _NO_DEVICE) or is_dtype(value) for value in args[1:])
    names_dtype = "dtype" in kwargs or any(map(is_dtype, args[1:]))
    return named and names_dtype and _NO_DEVICE_KEYWORDS.issuperset(kwargs)


def _holds_tensor(values: Iterable[Any]) -> bool:
    """Whether there is a tensor among numbers, which the host would have to read."""
    return any(
        isinstance(value, torch.Tensor)
        or (type(value) in (list, tuple) and any(isinstance(item, torch.Tensor) for item in value))
        for value in values
    )


def _is_number(value: object) -> bool:
    """Whether a value is a 0-dim tensor."""
    with torch._C.DisableTorchFunction():
        return isinstance(value, torch.Tensor) and value.dim() == 0


def _touches_device(values: Iterable[Any]) -> bool:
    """Whether one of the values is a tensor that is not on the host, or of a type that may contain one."""
    for value in values:
        if isinstance(value, torch.Tensor):
            if place_of(value).type != "cpu":
                return True
        elif type(value) in (list, tuple):
            if _touches_device(value):
                return True
        elif type(value) not in _WITHOUT_TENSORS:
            return True
    return False


_WITHOUT_TENSORS = frozenset(
    {int, float, bool, str, type(None), complex, torch.dtype, slice, type(Ellipsis), torch.Size}
)
