"""Operations whose operands lie on several devices only because of another operation, which is reported.

`x = a * b` of two devices is repaired by moving either. Where `x` lies is decided by the repair, so whether
`x + b` is an error is open until then. A host tensor that a factory made is repaired at the factory instead.
A third tensor on the host, as in `x + c`, is likely to need a repair of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from devlint.model import (
    UNKNOWN,
    Confidence,
    Device,
    Draft,
    Event,
    Operation,
    OriginStep,
    SiteId,
    is_accelerator,
    is_host,
)

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
    causes = _causes(events)
    kept: list[Event] = []
    found: defaultdict[SiteId, list[SiteId]] = defaultdict(list)
    for event in events:
        explaining = [
            site
            for site in sorted(follows_from(event))
            if site in sureness
            and sureness[site].at_least(Confidence.weakest((event.confidence, Confidence.LIKELY)))
            and _devices(event) <= causes[site].devices
        ]
        if not explaining:
            kept.append(event)
        elif isinstance(event, Operation) and _adds_host_tensor(event, causes[explaining[0]]):
            kept.append(replace(event, confidence=Confidence.weakest((event.confidence, Confidence.LIKELY))))
            causes[explaining[0]].beginnings |= {each.origin.first for each in event.operands}
        else:
            found[explaining[0]].append(event.site)
    return kept, found


@dataclass(slots=True)
class _Cause:
    """The operands of the operations at one place."""

    devices: set[Device] = field(default_factory=set)
    beginnings: set[OriginStep | None] = field(default_factory=set)


def _causes(events: Iterable[Event]) -> Mapping[SiteId, _Cause]:
    found: defaultdict[SiteId, _Cause] = defaultdict(_Cause)
    for event in events:
        if isinstance(event, Operation):
            found[event.site].devices |= _devices(event)
            found[event.site].beginnings |= {each.origin.first for each in event.operands}
    return found


def _adds_host_tensor(event: Operation, cause: _Cause) -> bool:
    """Whether a host tensor that has nothing to do with the cause meets what is computed there, which lies on
    an accelerator if the cause is repaired as is usual: by moving the host's operand there."""
    mixed = [each for each in event.operands if each.mixed_at is not None]
    others = [each for each in event.operands if each.mixed_at is None and is_host(each.device)]
    return any(is_accelerator(each.device) for each in mixed) and any(
        each.origin.first is not None and each.origin.first not in cause.beginnings for each in others
    )


def _devices(event: Event) -> set[Device]:
    operands = event.operands if isinstance(event, Operation) else ()
    return {each.device for each in operands if each.device != UNKNOWN}
