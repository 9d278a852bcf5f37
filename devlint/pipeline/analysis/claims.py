"""From observations to claims: judge each event by the rules of its file, and resolve its places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from devlint.model import Confidence, Draft, EditRequest, Event, Note, SiteId, Withheld
from devlint.pipeline.analysis.analysis import Claim, Rules
from devlint.rules import registry
from devlint.rules.engine import judge, place, resolve, subjects, withheld

if TYPE_CHECKING:
    from devlint.model import Subject
    from devlint.rules.base import Rule
    from devlint.source import Observation
    from devlint.source.machine.reporting.event_log import EventPath

_MISMATCHES = "DL1"
_MOST_CALLS = 4
"""How many of the calls that lead to a mismatch are shown; the innermost ones."""


def wanted(on: Collection[str]) -> frozenset[Subject]:
    """The subjects that some rules judge."""
    return subjects(_rules(on))


def claims(observation: Observation, on: Rules) -> list[Claim]:
    """The claims of the rules that are on in each file. A draft may stand in a file without any event, where
    a tensor was made that another file uses."""
    judged: dict[frozenset[str], list[tuple[Draft, EventPath]]] = {}
    found: list[Claim] = []
    waiting = dict.fromkeys(observation.home(event.site) for event in observation.events)
    seen: dict[str, None] = {}
    while waiting:
        seen |= waiting
        for codes, homes in _by_codes(waiting, on).items():
            if codes not in judged:
                judged[codes] = _judged(observation, _rules(codes))
            here = [each for each in judged[codes] if observation.home(each[0].site) in homes]
            found += _resolved(here, observation)
        places = (observation.home(draft.site) for drafts in judged.values() for draft, _ in drafts)
        waiting = {home: None for home in places if home not in seen}
    return found


def kept_back(observation: Observation, on: Rules) -> Iterator[tuple[str, Withheld]]:
    """The findings of the rules for what the observer withheld, with their files."""
    places = [observation.home(each.event.site) for each in observation.silenced]
    for codes, homes in _by_codes(dict.fromkeys(places), on).items():
        rules = _rules(codes)
        said = judge(observation.events, rules)
        for draft, silence in withheld(observation.silenced, said, rules):
            home = observation.home(draft.site)
            if home in homes:
                for finding in resolve([_with_fix_in_place(draft, observation)], observation):
                    yield home, Withheld(finding, silence)


def _rules(on: Collection[str]) -> list[Rule[Any]]:
    return [rule for rule in registry.all_rules() if rule.code in on]


def _by_codes(homes: Iterable[str], on: Rules) -> dict[frozenset[str], set[str]]:
    """Files, grouped by the rules that are on there."""
    groups: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for home in homes:
        groups[on.at(home)].add(home)
    return groups


def _judged(observation: Observation, rules: Sequence[Rule[Any]]) -> list[tuple[Draft, EventPath]]:
    """The drafts from the program itself, then those that only hypotheses show."""
    from devlint.source.machine.reporting.event_log import EventPath  # noqa: PLC0415  # a stand-in needs none

    groups: defaultdict[frozenset[str], list[Event]] = defaultdict(list)
    traces: dict[tuple[SiteId, frozenset[str]], EventPath] = {}
    for event in observation.events:
        trace = observation.traces.get(event, EventPath())
        groups[trace.hypotheses].append(event)
        known_trace = traces.setdefault((event.site, trace.hypotheses), trace)
        if known_trace.of_arguments and not trace.of_arguments:
            traces[event.site, trace.hypotheses] = known_trace._replace(of_arguments=False)
    shown = groups.pop(frozenset(), [])
    judged: list[tuple[Draft, EventPath]] = []
    known: dict[tuple[SiteId, str], Confidence] = {}
    for draft in judge(shown, rules):
        known[draft.site, draft.code] = draft.confidence or Confidence.CERTAIN
        about = draft.site if draft.cause is None else draft.cause
        judged.append((draft, traces.get((about, frozenset()), EventPath())))
    for hypotheses, events in groups.items():
        for draft in judge([*shown, *events], rules):
            surest = known.get((draft.site, draft.code))
            if surest is None or not surest.at_least(draft.confidence or Confidence.CERTAIN):
                about = draft.site if draft.cause is None else draft.cause
                trace = traces.get((about, hypotheses), EventPath(hypotheses=hypotheses))
                judged.append((draft, trace))
    return judged


def _resolved(judged: Sequence[tuple[Draft, EventPath]], observation: Observation) -> Iterator[Claim]:
    """The claims, with resolved places."""
    if not judged:
        return
    drafts = [_with_calls(_with_fix_in_place(draft, observation), trace) for draft, trace in judged]
    anchors = [_anchor(draft, trace, observation) for draft, trace in judged]
    more = {*anchors, *(draft.cause for draft in drafts)} - {None}
    findings, located = place(drafts, observation, cast("set[SiteId]", more))
    for finding, draft, (_, trace), anchor in zip(findings, drafts, judged, anchors, strict=True):
        cause = None if draft.cause is None else located.site(draft.cause)
        yield Claim(
            finding,
            observation.home(draft.site),
            None if anchor is None else located.site(anchor),
            trace.hypotheses,
            (cause.start, cause.end) if cause is not None and cause.path == finding.site.path else None,
            trace.of_arguments,
        )


def _with_calls(draft: Draft, trace: EventPath) -> Draft:
    """A mismatch with the calls that lead to it; other findings do not need them."""
    if not draft.code.startswith(_MISMATCHES):
        return draft
    shown = {draft.site, *(note.site for note in draft.notes)}
    calls = [site for site in trace.calls if site not in shown][-_MOST_CALLS:]
    return replace(draft, notes=(*draft.notes, *(Note(site, "called from here") for site in calls)))


def _with_fix_in_place(draft: Draft, observation: Observation) -> Draft:
    """A draft without its fix, if that changes another file than that of the finding."""
    if draft.fix is None:
        return draft
    home = observation.home(draft.site)
    inside = all(_within(edit, home, observation) for edit in draft.fix.edits)
    return draft if inside else replace(draft, fix=None)


def _within(edit: EditRequest, home: str, observation: Observation) -> bool:
    quoted = edit.site if edit.quoted is None else edit.quoted
    return observation.home(edit.site) == home == observation.home(quoted)


def _anchor(draft: Draft, trace: EventPath, observation: Observation) -> SiteId | None:
    """The place in the program's own file that leads to a draft in another file: the innermost call, or the
    operation itself."""
    if not observation.home(draft.site):
        return None
    within = () if draft.cause is None else (draft.cause,)
    return next((site for site in reversed((*trace.calls, *within)) if not observation.home(site)), None)
