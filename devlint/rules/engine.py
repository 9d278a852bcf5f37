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
    Note,
    Related,
    Silence,
    Silenced,
    Site,
    SiteId,
    Subject,
)
from devlint.rules import registry
from devlint.rules.base import Rule

MAX_NOTES = 8
"""A finding with more related sites than this is not read, so a merged one keeps the first."""


class Locations(Protocol):
    """What sites and edits turned out to be."""

    def site(self, site: SiteId, /) -> Site:
        """The place that a reference stands for."""
        ...

    def edit(self, request: EditRequest, /) -> Edit | None:
        """The change to the text, or None where the text gives no way to make it."""
        ...


class Locator(Protocol):
    """An observer that can say where its sites are. It is asked once, for all that is to be reported."""

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest]) -> Locations:
        """Work out places and changes."""
        ...


def subjects(rules: Iterable[Rule[Any]]) -> frozenset[Subject]:
    """What the settings and registrations are about that have a part in what the given rules say."""
    speaking = _with_more_specific({rule.code: rule for rule in rules})
    return frozenset().union(*(rule.about for rule in speaking.values()))


def judge(events: Iterable[Event], rules: Iterable[Rule[Any]]) -> list[Draft]:
    """What the given rules say of the events: one draft a cause, in an order that does not depend on theirs.

    `rules` are the ones that a user selected. The more specific rules that they yield to are judged with them
    wherever those are on by default, so that ignoring DL103 silences what it is about and does not bring up
    DL101 in its place; a rule that is off by default and not selected silences nothing.
    """
    selected = {rule.code: rule for rule in rules}
    speaking = _with_more_specific(selected)
    drafts = _without_less_specific(_drafts(events, speaking.values()), speaking)
    return _merged(draft for draft in drafts if draft.code in selected)


def withheld(
    silenced: Iterable[Silenced], said: Iterable[Draft], rules: Iterable[Rule[Any]]
) -> list[tuple[Draft, Silence]]:
    """What the given rules would say of the events that an observer has withheld, and why it has.

    What they have said all the same, because of another event at the same place, was not withheld.
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
    """Findings with their places, in the order of reports. A fix that cannot be made whole is dropped."""
    return sorted(place(drafts, locator)[0], key=lambda finding: finding.sort_key)


def place(
    drafts: Sequence[Draft], locator: Locator, more: Iterable[SiteId] = ()
) -> tuple[list[Finding], Locations]:
    """A finding with its places for each draft, and what knows these, and those of `more` sites."""
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
    """As sure as the event, or less where the rule says so; what a run has shown has happened."""
    sure = event.confidence
    if draft.confidence is not None and sure is not Confidence.SEEN:
        sure = Confidence.weakest((sure, draft.confidence))
    return replace(draft, confidence=sure)


def _sureness(draft: Draft) -> Confidence:
    return draft.confidence or Confidence.CERTAIN


def _without_less_specific(drafts: Sequence[Draft], rules: dict[str, Rule[Any]]) -> list[Draft]:
    """The drafts but those whose cause a more specific rule names, and is as sure of or surer.

    What is less sure does not silence what is surer: it would be gone where only the surer are asked for.
    """
    spoke: defaultdict[SiteId, dict[str, Confidence]] = defaultdict(dict)
    for draft in drafts:
        for about in (draft.site, draft.cause):
            if about is None:
                continue
            known = spoke[about].setdefault(draft.code, _sureness(draft))
            spoke[about][draft.code] = Confidence.surest((known, _sureness(draft)))
    return [
        draft
        for draft in drafts
        if draft.cause is None
        or not any(
            code in spoke[draft.cause] and spoke[draft.cause][code].at_least(_sureness(draft))
            for code in rules[draft.code].yields_to
        )
    ]


def _merged(drafts: Iterable[Draft]) -> list[Draft]:
    """One draft for each pair of code and site: the surest and first in order, with the notes of all."""
    merged: dict[tuple[SiteId, str], Draft] = {}
    for draft in sorted(drafts, key=_order):
        key = (draft.site, draft.code)
        known = merged.get(key)
        merged[key] = draft if known is None else replace(known, notes=_union(known.notes, draft.notes))
    return list(merged.values())


def _order(draft: Draft) -> tuple[SiteId, str, int, list[SiteId], str]:
    """By place and code; of several at one place, the surest, and then the one whose related sites come first
    in the program."""
    return (
        draft.site,
        draft.code,
        _sureness(draft).rank,
        [note.site for note in draft.notes],
        repr(draft),
    )


def _union(kept: tuple[Note, ...], more: tuple[Note, ...]) -> tuple[Note, ...]:
    return tuple(dict.fromkeys((*kept, *more)))[:MAX_NOTES]


def _references(drafts: Iterable[Draft]) -> tuple[set[SiteId], set[EditRequest]]:
    """All sites and all changes that the drafts name."""
    sites: set[SiteId] = set()
    edits: set[EditRequest] = set()
    for draft in drafts:
        sites.add(draft.site)
        sites.update(note.site for note in draft.notes)
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
        related=tuple(Related(located.site(note.site), note.message, note.label) for note in draft.notes),
        help=draft.help,
        fix=None if draft.fix is None else _fix(draft.fix, located),
        confidence=_sureness(draft),
    )


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
    """Whether all changes lie in the function that the names in their text belong to."""
    home = located.site(scope)
    places = [located.site(edit.site) for edit in request.edits]
    return all((place.path, place.function) == (home.path, home.function) for place in places)
