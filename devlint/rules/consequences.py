"""Operations whose operands lie on several devices only because of another operation, which is reported.

`x = a * b` of two devices is repaired by moving either. Where `x` lies is decided by the repair, so whether
`x + c` is an error is open until then. A host tensor that a factory made is repaired at the factory instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from devlint.model import UNKNOWN, Confidence, Device, Draft, Event, Operation, SiteId

Consequences = Mapping[SiteId, Sequence[SiteId]]
"""By site of a reported operation: the sites of those that follow from it."""


def follows_from(event: Event) -> frozenset[SiteId]:
    """The operations that may explain a mixture of devices."""
    if not isinstance(event, Operation):
        return frozenset()
    return frozenset(each.mixed_at for each in event.operands if each.mixed_at not in (None, event.site))


def apart(events: Sequence[Event], reported: Iterable[Draft]) -> tuple[list[Event], Consequences]:
    """The events without those that follow from reported operations, and which follow from which."""
    sureness = {each.site: each.confidence or Confidence.CERTAIN for each in reported}
    devices = _devices_by_site(events)
    kept: list[Event] = []
    found: defaultdict[SiteId, list[SiteId]] = defaultdict(list)
    for event in events:
        causes = [
            site
            for site in sorted(follows_from(event))
            if site in sureness
            and sureness[site].at_least(Confidence.weakest((event.confidence, Confidence.LIKELY)))
            and _devices(event) <= devices[site]
        ]
        if causes:
            found[causes[0]].append(event.site)
        else:
            kept.append(event)
    return kept, found


def _devices_by_site(events: Iterable[Event]) -> Mapping[SiteId, set[Device]]:
    found: defaultdict[SiteId, set[Device]] = defaultdict(set)
    for event in events:
        found[event.site] |= _devices(event)
    return found


def _devices(event: Event) -> set[Device]:
    operands = event.operands if isinstance(event, Operation) else ()
    return {each.device for each in operands if each.device != UNKNOWN}
