"""Counts how often each place calls a method of tensors that may move, copy or wait, watched or not.

A counting method costs a fraction of what a function mode adds to every call of torch, and nothing where it
is not called. From its counts follow how often happened in all what was seen at a place in some steps, and
at once that a place is reached that was never seen. Functions of modules, such as `torch.where`, are not
counted: the compiler and TorchScript tell those by identity.
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
"""Not counted. Python takes a class that sets one of these, even for a while, for one of sequences
(Objects/typeobject.c fills `sq_item` with `mp_subscript`), and `torch.tensor` then asks 0-dim tensors in a
list for their length (torch/csrc/utils/tensor_new.cpp, `compute_sizes`)."""


@dataclass(slots=True)
class Visit:
    """How often a place was passed, and when; see the fields of `Tally`."""

    code: CodeType
    instruction: int
    operator: str
    """What was called, by its canonical name; empty where that is not told."""
    again: bool
    """Whether it read what the host had read before, for which it does not wait."""
    first: tuple[int, int]
    last: tuple[int, int]
    total: int = 0
    watched: int = 0
    in_steps: int = 1
    in_batches: int = 1

    def note(self, now: tuple[int, int], *, watched: bool) -> None:
        """The place is passed once more, after so many steps and batches."""
        self.total += 1
        self.watched += watched
        if now != self.last:
            self.in_steps += now[0] != self.last[0]
            self.in_batches += now[1] != self.last[1]
            self.last = now


class Visits:
    """The places that one thread passes. `on_new` is told of each before it does anything."""

    def __init__(self, observer: Observer, progress: Progress, on_new: Callable[[], None]) -> None:
        self._observer = observer
        self.progress = progress
        self._on_new = on_new
        self._thread = get_ident()
        self._visits: dict[tuple[int, int, str, bool], Visit] = {}
        self.counts = False
        """Whether visits are counted now."""

    def patch(self, patches: Patches) -> None:
        """Count from now on."""
        for name, row in _methods():
            patches.wrap(torch.Tensor, name, partial(_CountedMethod, row, self))
        self.counts = True

    def __iter__(self) -> Iterator[Visit]:
        return iter(list(self._visits.values()))

    def reads_again(self, tensor: object) -> bool:
        """Whether the host has read it before. In a step that is not watched, it counts as read from now on;
        else the observer sees to that."""
        if not on_device(tensor):
            return False
        with torch._C.DisableTorchFunction():
            return note_read(tensor) if self._observer.rests else was_read(tensor)

    def is_passed_on(self, frame: FrameType) -> bool:
        """Whether a call is none of the program's: a mode is handed the method that the class has, which is
        the counting one, and calls it again."""
        return not self.counts or get_ident() != self._thread or is_own(frame.f_code.co_filename)

    def note(self, frame: FrameType, operator: str = "", *, again: bool = False) -> None:
        """A frame is about to call what is counted."""
        if self.is_passed_on(frame):
            return
        user = user_frame(frame)
        if user is None:
            return
        # Code objects hash slowly. The visit keeps this one alive, so no other gets its identity.
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
    """A method that is counted. In tables of functions, torch's and others', it is what it stands for."""

    def __init__(self, row: ObservedFunction, visits: Visits, method: Callable[..., Any]) -> None:
        self.__wrapped__ = method
        self.__name__ = method.__name__
        self.__qualname__ = method.__qualname__
        self.__doc__ = method.__doc__
        self._visits = visits
        self._operator = row.operator.name
        self._only_waits = not (row.moves or row.copies)
        self._is_read = any(sync.cause in READS for sync in row.operator.syncs)

    def __get__(self, tensor: object, _: type | None = None) -> Any:
        return self if tensor is None else MethodType(self, tensor)

    def __call__(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        # Nothing waits for a host tensor, but the host may read one too early that a copy is on its way to.
        if not self._only_waits or not tensor.is_cpu or self._visits.progress.downloads:
            self._note(tensor, _getframe(1))
        return self.__wrapped__(tensor, *args, **kwargs)

    def _note(self, tensor: object, frame: FrameType) -> None:
        if not self._visits.is_passed_on(frame):
            again = self._is_read and self._visits.reads_again(tensor)
            self._visits.note(frame, self._operator, again=again)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[type, str]]:
        # Another process may have the plain one.
        return getattr, (torch.Tensor, self.__name__)

    def __eq__(self, other: object) -> bool:
        return self is other or self.__wrapped__ == other

    def __hash__(self) -> int:
        return hash(self.__wrapped__)


PASSING_ON.add(_CountedMethod.__call__.__code__)
