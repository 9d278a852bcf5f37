"""The function mode: which calls are observed, and how."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from sys import _getframe
from threading import get_ident
from time import perf_counter
from types import FrameType
from typing import Any

import torch
from torch._C import (
    _len_torch_function_stack,
    _pop_torch_function_stack,
    _push_on_torch_function_stack,
)
from torch.overrides import TorchFunctionMode

from devlint.instrumentation.mode_stack import by_class, modes
from devlint.runtime.observer import creation, transfers, waits
from devlint.runtime.observer.call import ObservedCall
from devlint.runtime.observer.functions import ObservedFunction, rows
from devlint.runtime.observer.late_waits import LateWaits
from devlint.runtime.observer.uninteresting import has_number_to_read, is_of_no_interest
from devlint.runtime.places.frames import caller, user_frame
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.levels import DisallowedError
from devlint.runtime.recording.progress import Progress
from devlint.tensors.provenance import derive

Function = Callable[..., Any]
Explain = Callable[[BaseException, Function, Sequence[Any], Mapping[str, Any]], None]
"""Adds a note to an error about the call that raised it."""


class Observer(TorchFunctionMode):
    """Gets each call of torch, and observes those that create, move, copy or wait.

    It never changes a call: arguments, result and error are torch's. `failed` is called with an internal
    error, after which nothing is observed any more.
    """

    def __init__(
        self,
        sites: Sites,
        progress: Progress,
        explain: Explain,
        failed: Callable[[Exception], None],
        *,
        measures: bool,
    ) -> None:
        super().__init__()
        self._rows = dict(rows())
        self._sites = sites
        self._progress = progress
        self._explain = explain
        self._failed = failed
        self._measures = measures
        self._thread = threading.local()
        self._late = LateWaits()
        self.rests = False
        """Whether it is suspended, so that waits reported by others do not count."""

    def __torch_function__(
        self,
        func: Function,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        for kind in types:
            if not issubclass(kind, torch.Tensor):
                with self:
                    return by_class(func, types, args, kwargs or {})
        try:
            row = self._rows.get(func)
            if row is not None and self._is_of_no_interest(row, args, kwargs or {}):
                row = None
            frame = None if row is None else caller(_getframe(1))
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
            row = frame = None
        try:
            if row is None:
                result = NotImplemented
                if _len_torch_function_stack():
                    # The mode beneath is given the call next, and is off meanwhile. Torch does the same, but
                    # reads all arguments once more to find that mode (`dispatch_on_mode` in
                    # torch/csrc/utils/python_arg_parser.cpp), which takes longer than most modes do.
                    beneath = _pop_torch_function_stack()
                    try:
                        result = beneath.__torch_function__(func, types, args, kwargs)
                    finally:
                        _push_on_torch_function_stack(beneath)
                if result is NotImplemented:
                    result = func(*args, **kwargs) if kwargs else func(*args)
                # Simulated devices report it by kernels. Without devices, origins are not needed.
                if self._measures and isinstance(result, torch.Tensor) and result.is_cpu:
                    self._derive(result, args)
            else:
                result = self._observed(row, func, args, kwargs or {}, frame)
            if self._late.open:
                self._settle()
        except Exception as error:
            self._explain(error, func, args, kwargs or {})
            raise
        return result

    def _is_of_no_interest(
        self, row: ObservedFunction, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> bool:
        return is_of_no_interest(row, args, kwargs) and not (row.reads and self._progress.downloads)

    def _derive(self, result: torch.Tensor, args: Sequence[Any]) -> None:
        try:
            derive(result, args)
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)

    def _settle(self) -> None:
        try:
            self._late.settle()
        except DisallowedError:
            raise
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)

    def hidden_wait(self, operator: str, device: torch.device) -> None:
        """Called by observers of kernels when a kernel makes the host wait. Foreseen waits are not counted
        again.

        Raises: DisallowedError: if a guard does not allow it.
        """
        if self.rests or getattr(self._thread, "waiting", False):
            return
        self._progress.waits += 1
        seen = waits.foresee_hidden(self._sites.at(user_frame()), operator, device)
        seen.permit.count(seen.key, lambda: seen.event)

    def late_wait(self, operator: str, device: torch.device, *, measured: bool) -> None:
        """Called when the host begins to wait inside a call, where nothing can be raised.

        Foreseen waits are not counted again. A guard that does not allow the wait raises when the call has
        returned; if this observer does not get the call, when the next one has. The waiting time can be
        `measured` only for a call that it gets.
        """
        if self.rests or getattr(self._thread, "waiting", False):
            return
        self._progress.waits += 1
        site = self._sites.at(user_frame())
        self._late.note(lambda: waits.foresee_hidden(site, operator, device), get_ident(), measured=measured)

    def step_aside(self) -> None:
        """Stop observing."""
        self._rows.clear()

    def wrapped(
        self,
        row: ObservedFunction,
        func: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        frame: FrameType,
    ) -> Any:
        """Make a call that no mode gets, and observe it like any other. `frame` is that of the caller."""
        return self._observed(row, func, args, kwargs, frame) if self._rows else func(*args, **kwargs)

    def _observed(
        self,
        row: ObservedFunction,
        func: Function,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        frame: FrameType | None,
    ) -> Any:
        try:
            call = self._call(row, args, kwargs, frame)
            crossing, wait = self._foreseen(call)
            started = perf_counter() if self._measures else 0.0
            self._thread.waiting, outer = wait is not None, getattr(self._thread, "waiting", False)
        except DisallowedError:
            raise
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
            return func(*args, **kwargs)
        try:
            result = func(*args, **kwargs)
        finally:
            self._thread.waiting = outer
        seconds = perf_counter() - started if self._measures else None
        try:
            if row.makes:
                creation.note_made(call, result)
            if crossing is not None:
                transfers.note_crossing(call, crossing, result, seconds if wait is not None else None)
            if row.moves:
                transfers.note_move(call, result)
            if wait is not None:
                self._progress.waits += 1
                wait.permit.count(wait.key, lambda: wait.event, seconds=seconds, forward=call.in_forward)
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
        return result

    def _call(
        self, row: ObservedFunction, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType | None
    ) -> ObservedCall:
        return ObservedCall(row, args, kwargs, self._sites, self._progress, frame)

    def _foreseen(self, call: ObservedCall) -> tuple[transfers.Crossing | None, waits.Wait | None]:
        """What a call is about to copy, and the wait that it is about to make.

        Raises:
            DisallowedError: a guard does not allow one of them.
        """
        row = call.row
        if row.reads:
            waits.note_early_read(call)
        may_wait = row.waits and has_number_to_read(row, call.args, call.kwargs)
        wait = waits.foresee_wait(call) if may_wait else None
        crossing = transfers.foresee(call) if row.moves or row.copies or row.makes else None
        if crossing is None and wait is not None and wait.uploads is not None:
            crossing = transfers.foresee_hidden_upload(call, wait.uploads)
        return crossing, wait


def observer_here() -> Observer | None:
    """The observer of the calls here, which torch has disabled inside its own functions."""
    return next((mode for mode in modes() if isinstance(mode, Observer)), None)
