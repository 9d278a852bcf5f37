"""Counts how often each place calls a method of tensors that may move, copy or wait, in all steps.

A counting method costs a fraction of what a function mode adds to every call of torch, and nothing if it is
not called. The counts show how often an event that was observed in some steps happened in all steps, and
detect new places at once. Functions of modules, such as `torch.where`, are not counted, because the compiler
and TorchScript compare them by identity.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from sys import _getframe
from threading import get_ident
from types import CodeType, FrameType, MethodType
from typing import Any

import torch

from devlint.instrumentation.hooks import Failed
from devlint.instrumentation.own_files import is_own
from devlint.instrumentation.patches import Patches
from devlint.runtime.observer import Observer
from devlint.runtime.observer.functions import ObservedFunction, rows_by_name
from devlint.runtime.observer.wait_conditions import on_device
from devlint.runtime.observer.waits import READS
from devlint.runtime.places.frames import PASSING_ON, user_frame
from devlint.runtime.recording.progress import Progress
from devlint.tensors.provenance import note_read, was_read

_TENSOR = "torch.Tensor."
_SUBSCRIPTS = frozenset({"__getitem__", "__setitem__"})
"""Not counted. If a class sets one of these, even for a while, Python treats it as a sequence
(Objects/typeobject.c fills `sq_item` with `mp_subscript`), and `torch.tensor` then asks for the length of
0-dim tensors in a list (torch/csrc/utils/tensor_new.cpp, `compute_sizes`)."""


@dataclass(slots=True)
class Visit:
    """How often a place was visited, and when; see the fields of `Tally`."""

    code: CodeType
    instruction: int
    operator: str
    """The canonical name of the called method; empty if unknown."""
    again: bool
    """Whether it read a value that the host had read before, without a wait."""
    first: tuple[int, int]
    last: tuple[int, int]
    total: int = 0
    watched: int = 0
    in_steps: int = 1
    in_batches: int = 1

    def note(self, now: tuple[int, int], *, watched: bool) -> None:
        """Count a visit of the place, after so many steps and batches."""
        self.total += 1
        self.watched += watched
        if now != self.last:
            self.in_steps += now[0] != self.last[0]
            self.in_batches += now[1] != self.last[1]
            self.last = now


class Visits:
    """The visits of one thread. `on_new` is called with each new place before its call."""

    def __init__(self, observer: Observer, progress: Progress, on_new: Callable[[], None]) -> None:
        self._observer = observer
        self.progress = progress
        self._on_new = on_new
        self._thread = get_ident()
        self._visits: dict[tuple[int, int, str, bool], Visit] = {}
        self.counts = False
        """Whether visits are counted now."""

    def patch(self, patches: Patches, failed: Failed) -> None:
        """Count from now on. `failed` is told of an error of devlint's own."""
        for name, row in _methods():
            patches.wrap(torch.Tensor, name, partial(_CountedMethod, row, self, failed))
        self.counts = True

    def __iter__(self) -> Iterator[Visit]:
        return iter(list(self._visits.values()))

    def reads_again(self, tensor: object) -> bool:
        """Whether the host has read it before. Marks it as read in steps that are not observed; in other
        steps, the observer does."""
        if not on_device(tensor):
            return False
        with torch._C.DisableTorchFunction():
            return note_read(tensor) if self._observer.rests else was_read(tensor)

    def is_passed_on(self, frame: FrameType) -> bool:
        """Whether a mode passes on a call: a mode gets the method of the class, which is the counting one,
        and calls it again."""
        return not self.counts or get_ident() != self._thread or is_own(frame.f_code.co_filename)

    def note(self, frame: FrameType, operator: str = "", *, again: bool = False) -> None:
        """Count the call that a frame is about to make."""
        if self.is_passed_on(frame):
            return
        user = user_frame(frame)
        if user is None:
            return
        # Code objects hash slowly. The visit keeps this one alive, so that its identity stays unique.
        key = (id(user.f_code), user.f_lasti, operator, again)
        now = self.progress.steps, self.progress.batches
        visit = self._visits.get(key)
        if visit is None:
            visit = self._visits[key] = Visit(user.f_code, user.f_lasti, operator, again, now, now)
            self._on_new()
        visit.note(now, watched=not self._observer.rests)


def _methods() -> Iterator[tuple[str, ObservedFunction]]:
    """The methods of tensors that may move, copy or make the host wait."""
    for canonical, row in rows_by_name().items():
        name = canonical.removeprefix(_TENSOR)
        static = inspect.getattr_static(torch.Tensor, name, None) if canonical.startswith(_TENSOR) else None
        is_method = inspect.isfunction(static) or inspect.ismethoddescriptor(static)
        if is_method and name not in _SUBSCRIPTS and (row.moves or row.copies or row.waits or row.reads):
            yield name, row


class _CountedMethod:
    """A counted method. It is equal to the original, for look-ups in tables of functions of torch and
    others."""

    def __init__(
        self, row: ObservedFunction, visits: Visits, failed: Failed, method: Callable[..., Any]
    ) -> None:
        self._failed = failed
        self.__wrapped__ = method
        self.__name__ = method.__name__
        self.__qualname__ = method.__qualname__
        self.__doc__ = method.__doc__
        self._visits = visits
        self._operator = row.operator.name
        self._only_waits = not (row.moves or row.copies)
        self._is_read = any(sync.cause in READS for sync in row.operator.syncs)

    def __get__(self, tensor: object, _: type | None = None) -> Any:
        try:
            return self if tensor is None else MethodType(self, tensor)
        except Exception as error:
            self._failed(error)
            return self.__wrapped__.__get__(tensor)

    def __call__(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            # Nothing waits for a host tensor, but the host may read one too early that is being copied to.
            on_host = getattr(tensor, "is_cpu", True)  # what is no tensor, the method itself refuses
            if not self._only_waits or not on_host or self._visits.progress.downloads:
                self._note(tensor, _getframe(1))
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
        return self.__wrapped__(tensor, *args, **kwargs)

    def _note(self, tensor: object, frame: FrameType) -> None:
        if not self._visits.is_passed_on(frame):
            again = self._is_read and self._visits.reads_again(tensor)
            self._visits.note(frame, self._operator, again=again)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[type, str]]:
        # Another process may have the original method.
        return getattr, (torch.Tensor, self.__name__)

    def __eq__(self, other: object) -> bool:
        return self is other or self.__wrapped__ == other

    def __hash__(self) -> int:
        return hash(self.__wrapped__)


PASSING_ON.add(_CountedMethod.__call__.__code__)
