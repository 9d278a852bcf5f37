"""Repairs of factory calls, with which a program is executed once more.

A tensor that is made on the host by mistake hides what is computed from it: nothing waits for a host tensor,
and two of them meet without an error. After the repair of one finding, the others would appear.
"""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Confidence,
    Device,
    Event,
    Operation,
    SiteId,
    Synchronization,
    Transfer,
    is_accelerator,
)
from devlint.rules.factory_without_device import FactoryWithoutDevice
from devlint.rules.mismatch import mismatch

_RULE = FactoryWithoutDevice()


def factories_to_repair(events: Iterable[Event]) -> dict[SiteId, Device]:
    """The factory calls that are reported because they name no device, each with the device that it needs."""
    found: dict[SiteId, Device] = {}
    for event in events:
        if isinstance(event, Operation) and event.confidence.at_least(Confidence.LIKELY):
            needed = [each.device for each in event.operands if is_accelerator(each.device)]
            for draft in _RULE.check(event):
                if needed and (draft.confidence or event.confidence).at_least(Confidence.LIKELY):
                    found.setdefault(draft.site, needed[0])
    return found


def hidden(known: Iterable[Event], repaired: Iterable[Event]) -> list[Event]:
    """The mismatches, waits and copies of a repaired program at places that have none without it."""
    places = {None, *map(_place, known)}
    return [event for event in repaired if _place(event) not in places]


def _place(event: Event) -> tuple[type[Event], SiteId, bool] | None:
    """The place of a mismatch, and of a wait or copy, with whether that is on a hot path."""
    match event:
        case Operation() if mismatch(event) is not None:
            return Operation, event.site, True
        case Synchronization() | Transfer():
            return type(event), event.site, event.hot is not None
        case _:
            return None
