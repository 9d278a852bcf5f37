"""The frames that an error came through."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import FrameType
from typing import NamedTuple

import torch

from devlint.runtime.explain.tensors import is_module
from devlint.runtime.frames import user_frame

MAX_FRAMES = 1000
_CALLS = frozenset({"_wrapped_call_impl", "_call_impl", "__call__"})
"""The methods of `torch.nn.Module` through which a module is called."""


class Called(NamedTuple):
    """A module that the program called, and what it was given."""

    module: torch.nn.Module
    args: Sequence[object]
    kwargs: Mapping[str, object]


def stack(error: BaseException) -> tuple[FrameType, ...]:
    """The frames from where the error was raised outwards, beyond where it was caught."""
    return tuple(islice(_outwards(error), MAX_FRAMES))


def program_frame(frames: Sequence[FrameType]) -> FrameType | None:
    """The innermost frame of the program's own code."""
    return next((frame for frame in frames if user_frame(frame) is frame), None)


def module_of(frame: FrameType) -> torch.nn.Module | None:
    """The module whose method a frame runs.

    Only frames of methods are asked for their locals: up to Python 3.12 the answer stays with the frame, and
    with it what its variables held, for as long as the frame runs.
    """
    code = frame.f_code
    if not code.co_argcount or code.co_varnames[0] != "self":
        return None
    receiver = frame.f_locals.get("self")
    return receiver if is_module(receiver) else None


def outermost_module(frames: Sequence[FrameType]) -> tuple[torch.nn.Module, FrameType | None] | None:
    """The outermost module on the stack, and the program's frame that called it."""
    for position in reversed(range(len(frames))):
        module = module_of(frames[position])
        if module is not None:
            return module, program_frame(frames[position + 1 :])
    return None


def called_module(frames: Sequence[FrameType], caller: FrameType | None) -> Called | None:
    """The module that the program called in `caller`, if torch's own modules lie between it and the error."""
    if caller not in frames:
        return None
    for frame in reversed(frames[: frames.index(caller)]):
        module = module_of(frame) if frame.f_code.co_name in _CALLS else None
        if module is not None:
            given = frame.f_locals
            return Called(module, given.get("args", ()), given.get("kwargs", {}))
    return None


def _outwards(error: BaseException) -> Iterator[FrameType]:
    inner = []
    trace = error.__traceback__
    while trace is not None:
        inner.append(trace.tb_frame)
        trace = trace.tb_next
    yield from reversed(inner)
    # An error that has not been raised is explained where it would be.
    outer = inner[0].f_back if inner else sys._getframe()
    while outer is not None:
        yield outer
        outer = outer.f_back
