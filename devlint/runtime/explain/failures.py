"""Errors of torch calls: what a note says of them, and the event that a report counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from devlint.errors import ErrorKind, Recognised, recognise
from devlint.model import Confidence, Event, Setting, SettingKind, parse_device
from devlint.runtime.explain import FailedCall, attach, call_of, is_explained, note, text_of
from devlint.runtime.explain.events import judged
from devlint.runtime.observer.functions import name_of
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.levels import DisallowedError
from devlint.runtime.policy.watches import watched
from devlint.tensors.provenance import origin_of, was_moved_in_vain


class Failures:
    """Explains errors. One error is explained once, by the innermost call that raised it."""

    def __init__(self, sites: Sites, failed: Callable[[Exception], None]) -> None:
        self._sites = sites
        self._failed = failed
        self.explained = 0
        """How many errors were given a note."""

    def explain(
        self,
        error: BaseException,
        function: Callable[..., Any] | None,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        """Add to an error what is known of its operands, and count the operation that raised it."""
        try:
            recognised = None if isinstance(error, DisallowedError) else recognise(text_of(error))
            if recognised is None or is_explained(error):
                return
            name = name_of(function)
            call = call_of(error, name, args, kwargs, self._sites, origin_of)
            text = note(error, call, self._sites)
            self._attach(error, text)
            self._count(recognised, call, (*args, *kwargs.values()))
        except Exception as own:  # devlint's own: the program's error goes on its way
            self._failed(own)

    def explain_uncaught(self, error: BaseException) -> None:
        """Add to an error what its text and its place tell; what passes no function of torch has no call."""
        try:
            if not is_explained(error):
                self._attach(error, note(error, None, self._sites))
        except Exception as own:  # devlint's own: the program's error goes on its way
            self._failed(own)

    def _attach(self, error: BaseException, text: str | None) -> None:
        if text is not None:
            attach(error, text)
            self.explained += 1

    def _count(self, recognised: Recognised, call: FailedCall, values: Sequence[object]) -> None:
        """Count what raised, unless a move whose result was dropped has been counted as its cause."""
        if any(was_moved_in_vain(value) for value in values if isinstance(value, torch.Tensor)):
            return
        if recognised.kind is ErrorKind.ORDINAL:
            event: Event | None = _asked_for(call, values)
        else:
            said = judged(recognised.explanation.code, call, self._sites)
            event = None if said is None else said.event
        if event is not None:
            watched().count((event.site, type(event), recognised.kind), lambda: event)


def _asked_for(call: FailedCall, values: Sequence[object]) -> Setting:
    """The device that there is not, as one setting of the program."""
    asked = next((device for value in values if (device := _ordinal(value))), "")
    count = str(torch.accelerator.device_count())
    return Setting(call.site, None, Confidence.SEEN, SettingKind.ORDINAL, asked, detail=count)


def _ordinal(value: object) -> str:
    """The device with an ordinal that a value names; empty if it names none."""
    device = parse_device(str(value)) if isinstance(value, str | torch.device) else None
    return str(device) if device is not None and device.index is not None else ""
