"""From events to drafts, and from drafts to findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol

from devlint.model import (
    Confidence,
    Draft,
    Edit,
    EditRequest,
    Event,
    Finding,
    Fix,
    FixRequest,
    Related,
    Silence,
    Silenced,
    Site,
    SiteId,
    Subject,
)
from devlint.rules import registry, wording
from devlint.rules.base import Rule
from devlint.rules.consequences import Consequences, apart, follows_from
from devlint.rules.wording import fitted

MAX_NOTES = 8
"""A merged finding keeps at most so many related sites, and one that lists the rest."""


class Locations(Protocol):
    """The resolved sites and edits."""

    def site(self, site: SiteId, /) -> Site:
        """The place that a reference stands for."""
        ...

    def edit(self, request: EditRequest, /) -> Edit | None:
        """The change to the text; None if it cannot be made."""
        ...


class Locator(Protocol):
    """An observer that resolves its sites. It is called once, for all sites of a report."""

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest]) -> Locations:
        """Resolve sites and edits."""
        ...


def subjects(rules: Iterable[Rule[Any]]) -> frozenset[Subject]:
    """The subjects of the settings and registrations that the given rules judge."""
    speaking = _with_more_specific({rule.code: rule for rule in rules})
    return frozenset().union(*(rule.about for rule in speaking.values()))


def judge(events: Iterable[Event], rules: Iterable[Rule[Any]]) -> list[Draft]:
    """The drafts of the given rules for the events: one for each cause, in an order independent of the
    events' order.

    `rules` are the ones that a user selected. The more specific rules to which they yield are applied as
    well, if they are on by default: if DL103 is ignored, DL101 does not report the same cause instead. A rule
    that is off by default and not selected has no influence.
    """
    selected = {rule.code: rule for rule in rules}
    speaking = _with_more_specific(selected)
    events, consequences = _without_consequences(list(events))
    drafts = _without_less_specific(_drafts(events, speaking.values()), speaking, selected)
    return [
        replace(draft, message=fitted(draft.message))
        for draft in _merged(
            draft if speaking[draft.code].decides else _affecting(draft, consequences)
            for draft in drafts
            if draft.code in selected
        )
    ]


def _without_consequences(events: list[Event]) -> tuple[list[Event], Consequences]:
    """The events without those that follow from operations that rules which leave the repair open report,
    whether these rules are selected or not. What is repaired elsewhere, such as where a factory makes an
    operand, has a cause of its own."""
    if not any(map(follows_from, events)):
        return events, {}
    roots = [each for each in events if not follows_from(each)]
    leaving_open = {rule.code: rule for rule in registry.all_rules() if rule.enabled and not rule.decides}
    speaking = _with_more_specific(leaving_open)
    drafts = _without_less_specific(_drafts(roots, speaking.values()), speaking, leaving_open)
    deciding = [rule for rule in speaking.values() if rule.decides]
    decided = [each for each in events if follows_from(each) and _drafts([each], deciding)]
    kept, consequences = apart(
        [each for each in events if each not in decided],
        [each for each in drafts if each.code in leaving_open],
    )
    return [*decided, *kept], consequences


def _affecting(draft: Draft, consequences: Consequences) -> Draft:
    return replace(draft, affects=(*draft.affects, *consequences.get(draft.site, ())))


def withheld(
    silenced: Iterable[Silenced], said: Iterable[Draft], rules: Iterable[Rule[Any]]
) -> list[tuple[Draft, Silence]]:
    """The drafts of the given rules for the events that an observer withheld, with the reasons.

    Drafts that another event at the same place also causes are omitted, because they were not withheld.
    """
    rules = tuple(rules)
    spoke = {(draft.site, draft.code) for draft in said}
    found: dict[tuple[SiteId, str, Silence], Draft] = {}
    for each in silenced:
        for draft in judge([each.event], rules):
            if (draft.site, draft.code) not in spoke:
                found.setdefault((draft.site, draft.code, each.silence), draft)
    return [(draft, silence) for (_, _, silence), draft in found.items()]


def resolve(drafts: Sequence[Draft], locator: Locator) -> list[Finding]:
    """Findings with their places, in the order of reports. A fix of which any edit is impossible is
    dropped."""
    return sorted(place(drafts, locator)[0], key=lambda finding: finding.sort_key)


def place(
    drafts: Sequence[Draft], locator: Locator, more: Iterable[SiteId] = ()
) -> tuple[list[Finding], Locations]:
    """The finding of each draft, and the locations of these and of `more` sites."""
    sites, edits = _references(drafts)
    located = locator.locate(sites.union(more), edits)
    return [_finding(draft, located) for draft in drafts], located


def _with_more_specific(selected: dict[str, Rule[Any]]) -> dict[str, Rule[Any]]:
    """The selected rules and, transitively, the default rules that they yield to."""
    speaking = dict(selected)
    waiting = [code for rule in selected.values() for code in rule.yields_to]
    while waiting:
        code = waiting.pop()
        rule = registry.rule(code)
        if code not in speaking and rule is not None and rule.enabled:
            speaking[code] = rule
            waiting.extend(rule.yields_to)
    return speaking


def _drafts(events: Iterable[Event], rules: Iterable[Rule[Any]]) -> list[Draft]:
    by_event: defaultdict[type[Event], list[Rule[Any]]] = defaultdict(list)
    for rule in rules:
        for kind in rule.events():
            by_event[kind].append(rule)
    return [
        _with_confidence(draft, event)
        for event in events
        for rule in by_event.get(type(event), ())
        if rule.judges(event)
        for draft in rule.check(event)
    ]


def _with_confidence(draft: Draft, event: Event) -> Draft:
    """The confidence of the event, or the lower one of the rule; `seen` stays `seen`."""
    sure = event.confidence
    if draft.confidence is not None and sure is not Confidence.SEEN:
        sure = Confidence.weakest((sure, draft.confidence))
    return replace(draft, confidence=sure, affects=(*draft.affects, event.site))


def _sureness(draft: Draft) -> Confidence:
    return draft.confidence or Confidence.CERTAIN


def _without_less_specific(
    drafts: Sequence[Draft], rules: dict[str, Rule[Any]], selected: Collection[str]
) -> list[Draft]:
    """The drafts without those whose cause a more specific rule reports with the same or a higher confidence.

    A less certain draft does not replace a more certain one, which would then be missing at a higher
    threshold. A draft at the cause itself affects the places of the selected ones that it replaces.
    """
    spoke: defaultdict[SiteId, dict[str, Confidence]] = defaultdict(dict)
    for draft in drafts:
        for about in (draft.site, draft.cause):
            if about is None:
                continue
            known = spoke[about].setdefault(draft.code, _sureness(draft))
            spoke[about][draft.code] = Confidence.surest((known, _sureness(draft)))
    kept: list[Draft] = []
    replaced: defaultdict[tuple[SiteId, str], list[SiteId]] = defaultdict(list)
    for draft in drafts:
        reported = {} if draft.cause is None else spoke[draft.cause]
        codes = [
            code
            for code in rules[draft.code].yields_to
            if code in reported and reported[code].at_least(_sureness(draft))
        ]
        if not codes:
            kept.append(draft)
        elif draft.cause is not None and draft.code in selected:
            for code in codes:
                replaced[draft.cause, code].append(draft.site)
    return [
        replace(draft, affects=(*draft.affects, *replaced.get((draft.site, draft.code), ())))
        for draft in kept
    ]


def _merged(drafts: Iterable[Draft]) -> list[Draft]:
    """One draft for each pair of code and site: the most certain and first one, with the notes of all, and
    with the places that no note names."""
    merged: dict[tuple[SiteId, str], Draft] = {}
    for draft in sorted(drafts, key=_order):
        key = (draft.site, draft.code)
        known = merged.get(key)
        merged[key] = draft if known is None else _union(known, draft)
    return [replace(draft, affects=_without_note(draft)) for draft in merged.values()]


def _order(draft: Draft) -> tuple[SiteId, str, int, list[SiteId], str]:
    """By place and code; at one place the most certain first, then the one whose related sites come first."""
    return (
        draft.site,
        draft.code,
        _sureness(draft).rank,
        [note.site for note in draft.notes],
        repr(draft),
    )


def _union(one: Draft, other: Draft) -> Draft:
    notes = tuple(dict.fromkeys((*one.notes, *other.notes)))[:MAX_NOTES]
    return replace(one, notes=notes, affects=(*one.affects, *other.affects))


def _without_note(draft: Draft) -> tuple[SiteId, ...]:
    named = {draft.site, *(note.site for note in draft.notes)}
    return tuple(sorted(set(draft.affects) - named))


def _references(drafts: Iterable[Draft]) -> tuple[set[SiteId], set[EditRequest]]:
    """All sites and all changes that the drafts name."""
    sites: set[SiteId] = set()
    edits: set[EditRequest] = set()
    for draft in drafts:
        sites.add(draft.site)
        sites.update(note.site for note in draft.notes)
        sites.update(draft.affects)
        if draft.fix is not None:
            edits.update(draft.fix.edits)
            if draft.fix.scope is not None:
                sites.add(draft.fix.scope)
                sites.update(edit.site for edit in draft.fix.edits)
    return sites, edits


def _finding(draft: Draft, located: Locations) -> Finding:
    rule = registry.rule(draft.code)
    if rule is None:
        raise LookupError(f"a draft has code {draft.code}, which no rule has")
    return Finding(
        code=draft.code,
        name=rule.name,
        message=draft.message,
        site=located.site(draft.site),
        severity=rule.severity,
        related=_related(draft, located),
        help=draft.help,
        fix=None if draft.fix is None else _fix(draft.fix, located),
        confidence=_sureness(draft),
    )


def _related(draft: Draft, located: Locations) -> tuple[Related, ...]:
    noted = tuple(Related(located.site(note.site), note.message, note.label) for note in draft.notes)
    if not draft.affects:
        return noted
    named = {_line(located.site(draft.site)), *(_line(each.site) for each in noted)}
    affected = {_line(site): site for site in map(located.site, draft.affects) if _line(site) not in named}
    if not affected:
        return noted
    first, *others = sorted(affected)
    here = [line for path, cell, line in others if (path, cell) == first[:2]]
    return (*noted, Related(affected[first], wording.affected(here, len(others) - len(here))))


def _line(site: Site) -> tuple[str, int, int]:
    return (site.path, site.cell or 0, site.line)


def _fix(request: FixRequest, located: Locations) -> Fix | None:
    if request.scope is not None and not _inside(request, located, request.scope):
        return None
    edits: list[Edit] = []
    for wanted in request.edits:
        edit = located.edit(wanted)
        if edit is None:
            return None
        edits.append(edit)
    edits.sort()
    if any(right.start < left.end for left, right in pairwise(edits)):
        return None
    return Fix(request.message, request.applicability, tuple(edits))


def _inside(request: FixRequest, located: Locations, scope: SiteId) -> bool:
    """Whether all changes are in the function in which the names of their text are defined."""
    home = located.site(scope)
    places = [located.site(edit.site) for edit in request.edits]
    return all((place.path, place.function) == (home.path, home.function) for place in places)
