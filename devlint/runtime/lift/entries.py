"""Where test code enters the library: the called frame, and its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn

_HOST = ("cpu", torch.device("cpu"))


def arguments(frame: FrameType) -> dict[str, Any]:
    """The arguments of a function, by the names of its parameters."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    values = frame.f_locals
    return {name: values[name] for name in code.co_varnames[:count] if name in values}


def passed_arguments(frame: FrameType) -> Iterator[Any]:
    """The arguments that a test passed, without those that a method has replaced by attributes of its
    object."""
    values = list(arguments(frame).values())
    if is_constructor(frame):
        del values[0]
    own = {id(value) for value in _attributes(values)}
    return (value for value in values if id(value) not in own)


def _attributes(values: list[Any]) -> Iterator[Any]:
    """Tensors in attributes of the first argument, the object of a method."""
    if values and not isinstance(values[0], Tensor):
        kept = getattr(values[0], "__dict__", {})
        yield from (value for value in kept.values() if isinstance(value, Tensor))


def is_told_host(frame: FrameType) -> bool:
    """Whether a function, or the object of a method, got the host as a device, or the default, which objects
    keep as their `device`.

    The author of a test who had put everything on a device would have passed that device there.
    """
    values = arguments(frame)
    if "device" in values and values["device"] is None:
        return True
    own = next(iter(values.values()), None)
    kept = () if isinstance(own, Tensor) else tuple(getattr(own, "__dict__", {}).values())
    return any(names_host(value) or _has_no_device(value) for value in _each((*values.values(), *kept)))


def _each(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield from value if isinstance(value, (list, tuple)) else (value,)


def _has_no_device(value: Any) -> bool:
    """Whether an object is on the device that it was given, and was given none."""
    if value is None or isinstance(value, Tensor):
        return False
    try:
        return getattr(value, "device", value) is None
    except Exception:  # of a property
        return False


def names_host(value: Any) -> bool:
    """Whether a value is the host as a device."""
    return isinstance(value, (str, torch.device)) and value in _HOST


def makes_module(frame: FrameType) -> nn.Module | None:
    """The module that a frame constructs: that of its `__init__`."""
    own = frame.f_locals.get(frame.f_code.co_varnames[0]) if is_constructor(frame) else None
    return own if isinstance(own, nn.Module) else None


def is_constructor(frame: FrameType) -> bool:
    """Whether a frame runs an `__init__`, whose first argument is an incomplete object."""
    return frame.f_code.co_name == "__init__" and frame.f_code.co_argcount > 0


def is_being_made(module: nn.Module, frame: FrameType | None) -> bool:
    """Whether the constructor of a module has not returned yet, seen from a frame inside it."""
    while frame is not None:
        if makes_module(frame) is module:
            return True
        frame = frame.f_back
    return False
