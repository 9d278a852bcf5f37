"""The frames of an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from sys import _getframe
from types import FrameType
from typing import NamedTuple

import torch

from devlint.instrumentation.own_files import is_own
from devlint.runtime.explain.tensors import is_module
from devlint.runtime.places.frames import user_frame

MAX_FRAMES = 1000
_HANDLERS = frozenset({"__torch_function__", "__torch_dispatch__"})
_CALLS = frozenset({"_wrapped_call_impl", "_call_impl", "__call__"})
"""The methods of `torch.nn.Module` through which a module is called."""


class StackLevel(NamedTuple):
    """A frame, and its instruction when the error passed through; the frame may be in a handler now."""

    frame: FrameType
    instruction: int


class Called(NamedTuple):
    """A module that the program called, with the arguments of the call."""

    module: torch.nn.Module
    args: Sequence[object]
    kwargs: Mapping[str, object]


def stack(error: BaseException) -> tuple[StackLevel, ...]:
    """The frames of an error, innermost first, including the callers of the handler."""
    return tuple(islice(_outwards(error), MAX_FRAMES))


def program_level(levels: Sequence[StackLevel]) -> StackLevel | None:
    """The innermost frame of the program's own code."""
    return next((level for level in levels if user_frame(level.frame) is level.frame), None)


def module_of(frame: FrameType) -> torch.nn.Module | None:
    """The module whose method a frame executes.

    Only frames of methods are asked for their locals: up to Python 3.12, a frame stores the result as long as
    it runs, and thereby keeps the values of its variables alive.
    """
    code = frame.f_code
    if not code.co_argcount or code.co_varnames[0] != "self":
        return None
    receiver = frame.f_locals.get("self")
    return receiver if is_module(receiver) else None


def outermost_module(levels: Sequence[StackLevel]) -> tuple[torch.nn.Module, StackLevel | None] | None:
    """The outermost module on the stack, and the program's frame that called it."""
    for position in reversed(range(len(levels))):
        module = module_of(levels[position].frame)
        if module is not None:
            return module, program_level(levels[position + 1 :])
    return None


def called_module(levels: Sequence[StackLevel], caller: StackLevel | None) -> Called | None:
    """The module that the program called in `caller`, if torch's own modules are between it and the error."""
    if caller is None:
        return None
    for level in reversed(levels[: levels.index(caller)]):
        frame = level.frame
        module = module_of(frame) if frame.f_code.co_name in _CALLS else None
        if module is not None:
            variables = frame.f_locals
            return Called(module, variables.get("args", ()), variables.get("kwargs", {}))
    return None


def _outwards(error: BaseException) -> Iterator[StackLevel]:
    inner = []
    trace = error.__traceback__
    while trace is not None:
        inner.append(StackLevel(trace.tb_frame, trace.tb_lasti))
        trace = trace.tb_next
    yield from (level for level in reversed(inner) if not _holds_errors(level.frame))
    # An error that has not been raised yet is explained at the place of this call.
    outer = inner[0].frame.f_back if inner else _getframe()
    while outer is not None:
        if not _holds_errors(outer):
            yield StackLevel(outer, outer.f_lasti)
        outer = outer.f_back


def _holds_errors(frame: FrameType) -> bool:
    """Whether a frame may have the error as a local, like frames of devlint and handlers of modes.

    If such a frame were asked for its locals, it would keep the error alive, and the error's traceback the
    frame.
    """
    code = frame.f_code
    return code.co_name in _HANDLERS or is_own(code.co_filename)
