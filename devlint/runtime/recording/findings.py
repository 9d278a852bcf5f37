"""From tallies to findings, by the rules of `devlint check`, each with the measurements of the run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Protocol

from devlint.model import (
    Draft,
    EditRequest,
    Finding,
    Move,
    Observed,
    Site,
    SiteId,
    Synchronization,
    Transfer,
)
from devlint.rules.base import Rule
from devlint.rules.engine import judge, resolve
from devlint.rules.registry import all_rules
from devlint.runtime.places.sites import LocatedSites
from devlint.runtime.recording.recorder import Tally, total


class SiteLookup(Protocol):
    """Resolves the places of a run."""

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest]) -> LocatedSites:
        """Resolve places, and the program's lines that led to them."""
        ...


def findings(
    tallies: Sequence[Tally], locator: SiteLookup, rules: Iterable[Rule[Any]] | None = None
) -> list[Finding]:
    """The findings of the rules for the tallies, the worst first. Without `rules`, of all rules.

    A rule is off by default because source code shows too little; what a run observes has happened.
    """
    speaking = tuple(all_rules() if rules is None else rules)
    tallies = _without_refuted(tallies)
    drafts = judge((tally.event for tally in tallies), speaking)
    observed = _observed(tallies, speaking)
    callers = locator.locate({draft.site for draft in drafts}, ()).callers
    found = [
        replace(finding, observed=_led(observed.get((draft.site, draft.code)), callers.get(draft.site, ())))
        for draft in drafts
        for finding in resolve([draft], locator)
    ]
    return sorted(found, key=worst_first)


def _without_refuted(tallies: Sequence[Tally]) -> list[Tally]:
    """The tallies without moves that did nothing at places where other calls did move a tensor."""
    events = (each.event for each in tallies)
    moving = {each.site for each in events if isinstance(each, Move) and not each.is_idle}
    return [
        each
        for each in tallies
        if not (isinstance(each.event, Move) and each.event.is_idle and each.event.site in moving)
    ]


def _led(observed: Observed | None, callers: tuple[Site, ...]) -> Observed | None:
    return None if observed is None else replace(observed, callers=callers)


def without_finding(tallies: Sequence[Tally], rules: Iterable[Rule[Any]] | None = None) -> list[Tally]:
    """The waits at places without findings, the most frequent first."""
    speaking = tuple(all_rules() if rules is None else rules)
    spoken_of = {draft.site for tally in tallies for draft in _said(tally, speaking)}
    found = [
        tally
        for tally in tallies
        if isinstance(tally.event, Synchronization)
        and tally.event.site not in spoken_of
        and not _said(tally, speaking)
    ]
    return sorted(found, key=lambda tally: (-(tally.seconds or 0.0), -tally.count))


def _said(tally: Tally, rules: Sequence[Rule[Any]]) -> list[Draft]:
    return [draft for rule in rules if rule.judges(tally.event) for draft in rule.check(tally.event)]


def worst_first(finding: Finding) -> tuple[Any, ...]:
    """The order of a run's report: errors first, then by waiting time, count and bytes."""
    observed = finding.observed or Observed(0)
    return (
        finding.severity.value,
        -(observed.seconds or 0.0),
        -observed.count,
        -(observed.bytes or 0),
        finding.sort_key,
    )


def _observed(tallies: Sequence[Tally], rules: Sequence[Rule[Any]]) -> dict[tuple[SiteId, str], Observed]:
    """The measurements of all events that a rule reports at a place."""
    copied = _copied(tallies)
    found: dict[tuple[SiteId, str], Observed] = {}
    for tally in tallies:
        for rule in rules:
            if not rule.judges(tally.event):
                continue
            for key in {(draft.site, draft.code) for draft in rule.check(tally.event)}:
                measured = replace(_measured(tally, copied), usual=rule.is_usual(tally.event))
                found[key] = _sum(found.get(key), measured)
    return found


def _copied(tallies: Iterable[Tally]) -> dict[SiteId, Observed]:
    """The measurements of the copies at each place."""
    found: dict[SiteId, Observed] = {}
    for tally in tallies:
        if isinstance(tally.event, Transfer):
            found[tally.event.site] = _sum(found.get(tally.event.site), _measured(tally, {}))
    return found


def _measured(tally: Tally, copied: Mapping[SiteId, Observed]) -> Observed:
    """The measurements of an event; for a move, those of its copies."""
    if isinstance(tally.event, Move) and tally.event.site in copied:
        return replace(copied[tally.event.site], count=tally.count)
    ranks = tuple(sorted(tally.ranks.items(), key=itemgetter(0)))
    return Observed(tally.count, tally.seconds, tally.bytes, tally.estimated, ranks=ranks)


def _sum(known: Observed | None, more: Observed) -> Observed:
    if known is None:
        return more
    return Observed(
        known.count + more.count,
        total(known.seconds, more.seconds),
        total(known.bytes, more.bytes),
        known.estimated or more.estimated,
        known.usual and more.usual,
        tuple((rank, _sum(measured, dict(more.ranks)[rank])) for rank, measured in known.ranks),
    )
