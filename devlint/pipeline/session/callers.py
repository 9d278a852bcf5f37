"""Findings in files that are not checked themselves: they are reported at the calls that lead there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from devlint.model import Finding, Related
from devlint.pipeline.analysis.analysis import Claim
from devlint.pipeline.analysis.merge import merged
from devlint.pipeline.analysis.suppress import unsuppressed
from devlint.pipeline.session.documents import document_of
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome

_MOST_PLACES = 4
"""How many places to which one call leads are shown."""


def at_the_calls(
    claims: Iterable[tuple[FileOutcome, Claim]], session: CheckSession
) -> Iterator[tuple[FileOutcome, Claim]]:
    """Claims about other files, moved to the innermost calls in the programs' files; one for each call and
    code.

    Claims that a comment in the other file suppresses are dropped, because its author knew of them.
    """
    by_home: dict[tuple[str, str], tuple[FileOutcome, list[Claim]]] = {}
    for outcome, claim in claims:
        if claim.anchor is not None:
            by_home.setdefault((outcome.path, claim.home), (outcome, []))[1].append(claim)
    moved: dict[tuple[str, int, int, str], tuple[FileOutcome, Claim]] = {}
    for (_, home), (outcome, held) in by_home.items():
        left = set(_unsuppressed(held, home, session))
        for claim in sorted(held, key=lambda each: (each.finding.confidence.rank, each.finding.sort_key)):
            anchor = claim.anchor
            if anchor is None or claim.finding not in left:
                continue
            key = (outcome.path, anchor.start, anchor.end, claim.finding.code)
            new = _at_the_call(claim, session)
            known = moved.get(key)
            moved[key] = (outcome, new if known is None else _surer(known[1], new))
    yield from moved.values()


def _unsuppressed(claims: list[Claim], home: str, session: CheckSession) -> list[Finding]:
    """The findings in a file that its comments do not suppress, one for each place and code."""
    found = merged(claims)
    document = document_of(home, home, session)
    if document is None:
        return found
    codes = {finding.code for finding in found}
    return unsuppressed(found, document.text, home, codes, unused=False)


def _at_the_call(claim: Claim, session: CheckSession) -> Claim:
    assert claim.anchor is not None
    finding = claim.finding
    there = Related(finding.site, f"here, in `{session.name(finding.site.path)}`")
    calls = tuple(each for each in finding.related if each.site != claim.anchor)
    moved = replace(finding, site=claim.anchor, related=(there, *calls), fix=None)
    return Claim(moved, hypotheses=claim.hypotheses)


def _surer(first: Claim, second: Claim) -> Claim:
    """The more certain of two claims at one call, with the place of the other one added."""
    rank = first.finding.confidence.rank
    kept, other = (first, second) if rank <= second.finding.confidence.rank else (second, first)
    places = [each for each in (*kept.finding.related, other.finding.related[0]) if _is_place(each)]
    others = [each for each in kept.finding.related if not _is_place(each)]
    related = (*dict.fromkeys(places[:_MOST_PLACES]), *others)
    return kept._replace(finding=replace(kept.finding, related=related))


def _is_place(related: Related) -> bool:
    return related.message.startswith("here, in `")
