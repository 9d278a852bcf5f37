"""Errors of torch calls: adds notes to them, and counts their events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from devlint.errors import ErrorKind, Recognised, recognise
from devlint.model import Confidence, Event, Setting, SettingKind, parse_device
from devlint.runtime.explain import FailedCall, attach, call_of, is_explained, note, text_of
from devlint.runtime.explain.events import judge_call
from devlint.runtime.observer.functions import name_of
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.active_guards import watched
from devlint.runtime.policy.levels import DisallowedError
from devlint.tensors.provenance import has_dropped_move, origin_of


class Failures:
    """Explains each error once, for the innermost call that raised it."""

    def __init__(self, sites: Sites, failed: Callable[[Exception], None]) -> None:
        self._sites = sites
        self._failed = failed
        self.explained = 0
        """How many errors have got a note."""

    def explain(
        self,
        error: BaseException,
        function: Callable[..., Any] | None,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        """Add a note with the known facts about the operands, and count the operation that raised the
        error."""
        try:
            recognised = None if isinstance(error, DisallowedError) else recognise(text_of(error))
            if recognised is None or is_explained(error):
                return
            name = name_of(function)
            call = call_of(error, name, args, kwargs, self._sites, origin_of)
            text = note(error, call, self._sites)
            self._attach(error, text)
            self._count(recognised, call, (*args, *kwargs.values()))
        except Exception as own:  # devlint's own: the program's error is raised
            self._failed(own)

    def explain_uncaught(self, error: BaseException) -> None:
        """Add a note to an error that no torch function raised; only its text and place are known."""
        try:
            if not is_explained(error):
                self._attach(error, note(error, None, self._sites))
        except Exception as own:  # devlint's own: the program's error is raised
            self._failed(own)

    def _attach(self, error: BaseException, text: str | None) -> None:
        if text is not None:
            attach(error, text)
            self.explained += 1

    def _count(self, recognised: Recognised, call: FailedCall, values: Sequence[object]) -> None:
        """Count the failed operation, unless its cause, a dropped move, has been counted."""
        if any(has_dropped_move(value) for value in values if isinstance(value, torch.Tensor)):
            return
        if recognised.kind is ErrorKind.ORDINAL:
            event: Event | None = _missing_device(call, values)
        else:
            judgment = judge_call(recognised.explanation.code, call, self._sites)
            event = None if judgment is None else judgment.event
        if event is not None:
            watched().count((event.site, type(event), recognised.kind), lambda: event)


def _missing_device(call: FailedCall, values: Sequence[object]) -> Setting:
    """The requested device that does not exist, as a setting of the program."""
    asked = next((device for value in values if (device := _ordinal(value))), "")
    count = str(torch.accelerator.device_count())
    return Setting(call.site, None, Confidence.SEEN, SettingKind.ORDINAL, asked, detail=count)


def _ordinal(value: object) -> str:
    """The device with an ordinal that a value specifies; empty without one."""
    device = parse_device(str(value)) if isinstance(value, str | torch.device) else None
    return str(device) if device is not None and device.index is not None else ""
