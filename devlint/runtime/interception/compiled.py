"""Compiled code: it runs unobserved, and the report says how often.

Dynamo reads the active modes and traces their handlers, so it would recompile for each call, up to its limit.
Therefore devlint's modes are off while compiled code runs.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from sys import _getframe
from types import CodeType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from devlint.instrumentation.hooks import Failed, run_safely
from devlint.instrumentation.import_hook import ImportHook
from devlint.instrumentation.mode_stack import any_of_ours, put_on, take_off, taken_off
from devlint.instrumentation.patches import Patches
from devlint.runtime.interception.retractable import Retractable
from devlint.runtime.recording.remarks import Remarks
from devlint.simulation.simulation import running

_WRAPPERS = ("compile_wrapper", "_fn")
"""The wrappers that Dynamo puts around a compiled function (up to torch 2.15)."""
_TRACERS = (
    (torch.jit, "trace"),
    (torch.jit, "trace_module"),
    (torch.export, "export"),
    (torch.onnx, "export"),
)
"""Functions that record what code does. They must not record the observer's own calls."""


def patch(patches: Patches, retractable: Retractable, remarks: Remarks, failed: Failed) -> None:
    """Keep out of compiled code; what is not seen is remarked on. `failed` is told of an error of devlint's
    own."""
    hook = ImportHook(
        "torch._dynamo",
        lambda: _keep_out(patches, retractable, remarks, failed),
        failed,
        retractable.retracted,
    )
    patches.later(hook.stop)
    hook.wait()
    for owner, name in _TRACERS:
        retractable.wrap(owner, name, _unobserved)
    patches.replace(torch.jit.ScriptModule, "__call__", _counted(remarks, failed))


def _keep_out(patches: Patches, retractable: Retractable, remarks: Remarks, failed: Failed) -> None:
    # An import by name waits for another thread that is still importing it.
    dynamo = import_module("torch._dynamo.eval_frame")
    calls = _CompiledCalls(retractable, remarks, _codes_inside(dynamo.DisableContext.__call__))

    def around_choice(choose: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def choose_watched(callback: Any) -> Any:
            try:
                is_simulated = running() is not None
            except Exception as error:
                failed(error)
                return choose(callback)
            chosen = choose(callback)
            try:
                if chosen is None and callback and is_simulated:
                    calls.count_eager(_getframe(1))
                calls.begins = chosen is not None  # torch 2.15 does not set what it chose if that is None
            except Exception as error:
                failed(error)
            return chosen

        return choose_watched

    def around_setting(set_callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def set_callback_watched(callback: Any) -> Any:
            try:
                begins = calls.begins
                if begins:
                    calls.note(_getframe(1))
            except Exception as error:
                failed(error)
                begins = False
            former = set_callback(callback)
            try:
                if not begins:
                    calls.note(_getframe(1))
            except Exception as error:
                failed(error)
            return former

        return set_callback_watched

    patches.wrap(dynamo, "_callback_from_stance", around_choice)
    patches.wrap(dynamo, "_maybe_set_eval_frame", around_setting)
    # In torch 2.6, Dynamo is on when these are called, and would compile them.
    for function in (dynamo._callback_from_stance, dynamo._maybe_set_eval_frame, calls.note, running):
        dynamo.skip_code(function.__code__)


def _codes_inside(function: Callable[..., Any]) -> frozenset[CodeType]:
    """The code objects of the functions that a function defines."""
    return frozenset(code for code in function.__code__.co_consts if isinstance(code, CodeType))


class _CompiledCalls(threading.local):
    """The active compiled calls of this thread, by the frames of their wrappers.

    A wrapper selects and sets Dynamo's callback, calls its function, and restores the former callback.
    """

    def __init__(self, retractable: Retractable, remarks: Remarks, disabled: frozenset[CodeType]) -> None:
        self._retractable = retractable
        self._remarks = remarks
        self._disabled = disabled
        """The wrapper of a function that Dynamo must not compile. It selects a callback, too."""
        self._inside: list[tuple[int, list[TorchFunctionMode] | None]] = []
        self.begins = False
        """Whether a callback has been selected, but not yet set."""

    def note(self, frame: FrameType) -> None:
        """Handle a frame that is about to set Dynamo's callback."""
        begins, self.begins = self.begins, False
        if begins:
            if frame.f_code.co_name in _WRAPPERS and frame.f_code not in self._disabled:
                self._enter(frame)
        elif self._inside and self._inside[-1][0] == id(frame):
            self._leave()

    def count_eager(self, frame: FrameType) -> None:
        """Handle a frame that is about to run a compiled function as plain Python."""
        self._remarks.count(*_RAN_EAGERLY, name=_name(frame.f_locals.get("fn")))

    def _enter(self, frame: FrameType) -> None:
        modes = take_off()
        self._retractable.retract()
        self._inside.append((id(frame), modes))
        if modes is not None:
            self._remarks.count(*_NOT_LOOKED_INTO, name=_name(frame.f_locals.get("fn")))

    def _leave(self) -> None:
        _, modes = self._inside.pop()
        self._retractable.restore()
        if modes is not None:
            put_on(modes)


_NOT_LOOKED_INTO = (
    "1 call of compiled `{name}` was not observed; `devlint run --no-compile` observes it",
    "{count} calls of compiled `{name}` were not observed; `devlint run --no-compile` observes them",
)
_RAN_EAGERLY = (
    "1 call of compiled `{name}` ran as plain Python: torch does not compile for simulated devices",
    "{count} calls of compiled `{name}` ran as plain Python: torch does not compile for simulated devices",
)


def _name(function: Any) -> str:
    """The program's name of a compiled function or module."""
    function = inspect.unwrap(function)
    owner = getattr(function, "__self__", function)
    if isinstance(owner, torch.nn.Module):
        return f"{type(owner).__qualname__}.forward"
    return str(getattr(function, "__qualname__", function)).replace("<locals>.", "")


def _unobserved(tracer: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(tracer)
    def trace(*args: Any, **kwargs: Any) -> Any:
        with taken_off():
            return tracer(*args, **kwargs)

    return trace


def _counted(remarks: Remarks, failed: Failed) -> Callable[..., Any]:
    """The `__call__` of a scripted or traced module. Scripted functions are C objects, and cannot be
    counted."""

    def note(module: torch.jit.ScriptModule) -> None:
        if any_of_ours():
            remarks.count(*_SCRIPTED, name=str(module.original_name))

    def __call__(module: torch.jit.ScriptModule, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        run_safely(partial(note, module), failed)
        return torch.nn.Module.__call__(module, *args, **kwargs)

    return __call__


_SCRIPTED = (
    "1 call of scripted `{name}` was not observed",
    "{count} calls of scripted `{name}` were not observed",
)
