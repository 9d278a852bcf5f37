"""Merging the traces of all ranks of a distributed program, by place, with the numbers of each rank.

Memory is one tally for each place and rank, however many events there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from devlint.model import Event, Observed, Site, SiteId
from devlint.model.device import ACCELERATORS
from devlint.runtime.places.sites import NOWHERE_SITE
from devlint.runtime.recording.recorder import Tally, total
from devlint.runtime.trace.encoding import decode, encode
from devlint.runtime.trace.reader import NO_END, UNKNOWN, Trace, TraceError

_Device = dict[str, Any]


def merge(traces: Sequence[Trace]) -> Trace:
    """Merge the traces of several ranks into one.

    Raises: TraceError: if a trace has no rank, or two have the same.
    """
    by_rank: dict[int, Trace] = {}
    for trace in traces:
        if trace.rank is None:
            raise TraceError("several traces are merged by their ranks, but one of them has none")
        if trace.rank.number in by_rank:
            raise TraceError(f"two of the traces are of rank {trace.rank.number}")
        by_rank[trace.rank.number] = trace
    merged = _Merged(sorted(by_rank))
    for number in sorted(by_rank):
        merged.add(number, by_rank[number])
    first = traces[0]
    return Trace(
        first.devlint,
        first.torch,
        list(merged.tallies.values()),
        [*_missing(by_rank), *_unended(by_rank), *_remarks(by_rank), *merged.differences()],
        next((trace.doubt for trace in traces if trace.doubt), ""),
        {number: site for site, number in merged.places.items()},
        merged.callers,
    )


class _Merged:
    """The merged tallies of ranks, with new numbers of places."""

    def __init__(self, ranks: Sequence[int]) -> None:
        self._ranks = ranks
        self.places: dict[Site, SiteId] = {UNKNOWN: NOWHERE_SITE}
        self.callers: dict[SiteId, list[SiteId]] = {}
        self.tallies: dict[Event, Tally] = {}

    def add(self, rank: int, trace: Trace) -> None:
        """Add the trace of one rank."""

        def place(number: SiteId) -> SiteId:
            site = trace.sites.get(number, UNKNOWN)
            return self.places.setdefault(site, SiteId(len(self.places)))

        for tally in trace.tallies:
            event = _of_any_rank(tally.event, place)
            known = self.tallies.setdefault(replace(event, hot=None), _never(event, self._ranks))
            self._count(known, rank, tally)
        for number, callers in trace.callers.items():
            led = self.callers.setdefault(place(number), [])
            led.extend(site for site in map(place, callers) if site not in led)

    def _count(self, known: Tally, rank: int, tally: Tally) -> None:
        known.count += tally.count
        known.seconds = total(known.seconds, tally.seconds)
        known.bytes = total(known.bytes, tally.bytes)
        before = known.ranks[rank]
        known.ranks[rank] = Observed(
            before.count + tally.count,
            total(before.seconds, tally.seconds),
            total(before.bytes, tally.bytes),
        )

    def differences(self) -> Iterator[str]:
        """At how many places the counts of ranks differ."""
        places = {
            tally.event.site
            for tally in self.tallies.values()
            if len({measured.count for measured in tally.ranks.values()}) > 1
        }
        if places:
            yield f"ranks differ in what they did at {len(places)} place{'s' * (len(places) > 1)}"


def _never(event: Event, ranks: Iterable[int]) -> Tally:
    return Tally(event, ranks={rank: Observed(0) for rank in ranks})


def _of_any_rank(event: Event, place: Any) -> Event:
    """The event without the index of the rank's own device, so that events of ranks are comparable."""
    data = encode(event, lambda _: None)
    devices = list(_accelerators(data))
    if len({device.get("index") for device in devices}) == 1:
        for device in devices:
            device.pop("index", None)
    found: Event = decode(data, place)
    return found


def _accelerators(data: Any) -> Iterator[_Device]:
    """The devices in an encoded event."""
    if isinstance(data, list):
        for each in data:
            yield from _accelerators(each)
    elif isinstance(data, dict):
        if data.get("is") == "Concrete" and data.get("type") in ACCELERATORS:
            yield data
        for each in data.values():
            yield from _accelerators(each)


def _missing(by_rank: dict[int, Trace]) -> Iterator[str]:
    count = max(trace.rank.count for trace in by_rank.values() if trace.rank is not None)
    for number in range(count):
        if number not in by_rank:
            yield f"there is no trace of rank {number} of {count}"


def _unended(by_rank: dict[int, Trace]) -> Iterator[str]:
    most = max(trace.steps for trace in by_rank.values())
    for number, trace in by_rank.items():
        if not trace.ended:
            yield (
                f"rank {number} was killed or is still running: its trace stops after {trace.steps} of"
                f" {most} optimizer steps"
            )


def _remarks(by_rank: dict[int, Trace]) -> Iterator[str]:
    """What was not observed; one remark if it is true of all ranks."""
    ranks: dict[str, list[int]] = {}
    for number, trace in by_rank.items():
        for remark in trace.remarks:
            if remark == NO_END:  # `_unended` also says when
                continue
            ranks.setdefault(remark, []).append(number)
    for remark, numbers in ranks.items():
        everywhere = len(numbers) == len(by_rank)
        yield remark if everywhere else f"rank {', '.join(map(str, numbers))}: {remark}"
