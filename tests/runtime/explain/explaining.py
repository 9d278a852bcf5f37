"""Runs a program on two simulated devices and gives the note of the error that it raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from devlint.model import NOWHERE, Origin
from devlint.runtime.explain import FailedCall, attach, call_of, note
from devlint.runtime.explain.call import OriginOf
from devlint.runtime.observer.functions import operator_names
from devlint.runtime.places.sites import Sites
from devlint.simulation import Simulation


def nowhere(_: torch.Tensor) -> Origin:
    return NOWHERE


class Explaining(TorchFunctionMode):
    """Explains errors of torch calls where they are raised, as the observer does."""

    def __init__(self, origin_of: OriginOf = nowhere) -> None:
        super().__init__()
        self.sites = Sites()
        self.calls: list[FailedCall] = []
        self._origin_of = origin_of

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return func(*args, **(kwargs or {}))
        except Exception as error:
            name = operator_names().get(func, "")
            call = call_of(error, name, args, kwargs or {}, self.sites, self._origin_of)
            assert call is not None, "devlint failed"
            self.calls.append(call)
            text = note(error, call, self.sites)
            if text is not None:
                attach(error, text)
            raise


def failure(program: Callable[[], object], origin_of: OriginOf = nowhere) -> tuple[Exception, FailedCall]:
    """The error that a program raises on two simulated devices, and the call that failed."""
    with Simulation("cuda", devices=2), Explaining(origin_of) as explaining:
        try:
            program()
        except Exception as error:
            return error, explaining.calls[0]
    raise AssertionError("the program raised nothing")


def noted(program: Callable[[], object], origin_of: OriginOf = nowhere) -> list[str]:
    """The lines of the note on the error that a program raises."""
    error, _ = failure(program, origin_of)
    notes = getattr(error, "__notes__", [])
    assert len(notes) == 1, error
    return str(notes[0]).splitlines()
