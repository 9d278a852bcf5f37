"""Merging the claims about one file: what several programs show at one place is reported once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from devlint.pipeline.analysis.analysis import Claim
from devlint.rules import registry

if TYPE_CHECKING:
    from devlint.model import Confidence, Finding

_Extent: TypeAlias = tuple[int, int]


def merged(claims: Iterable[Claim]) -> list[Finding]:
    """One finding for each pair of place and code, the most certain one, in order.

    Of findings with one cause the more specific is kept, unless it is less certain.
    """
    ordered = sorted(claims, key=_order)
    if len(ordered) < 2:
        return [claim.finding for claim in ordered]
    first: dict[tuple[_Extent, str, str], Claim] = {}
    for claim in ordered:
        key = (_extent(claim), claim.finding.code, _message_key(claim))
        known = first.setdefault(key, claim)
        if known.finding.fix is None and claim.finding.fix is not None:
            from dataclasses import replace  # noqa: PLC0415  # no plain check needs it

            first[key] = known._replace(finding=replace(known.finding, fix=claim.finding.fix))
    return sorted(
        (claim.finding for claim in _most_specific(list(first.values()))), key=lambda each: each.sort_key
    )


def _message_key(claim: Claim) -> str:
    """A further key of findings without a place, which are about the whole file."""
    return "" if _extent(claim) != (0, 0) else claim.finding.message


def _order(claim: Claim) -> tuple[int, bool, bool, tuple[str, int, int, int, str, str], str]:
    """The most certain first; those of the file's own program before those of others."""
    finding = claim.finding
    related = repr(finding.related)
    return (
        finding.confidence.rank, bool(claim.hypotheses), bool(claim.home), finding.sort_key, related,
    )  # fmt: skip


def _extent(claim: Claim) -> _Extent:
    return (claim.finding.site.start, claim.finding.site.end)


def _most_specific(claims: list[Claim]) -> Iterator[Claim]:
    spoke: defaultdict[_Extent, dict[str, Confidence]] = defaultdict(dict)
    for claim in claims:
        for about in (_extent(claim), claim.cause):
            if about is not None:
                spoke[about].setdefault(claim.finding.code, claim.finding.confidence)
    for claim in claims:
        rule = registry.rule(claim.finding.code)
        others = spoke[claim.cause] if claim.cause is not None else {}
        yields_to = () if rule is None else rule.yields_to
        if not any(code in others and others[code].at_least(claim.finding.confidence) for code in yields_to):
            yield claim
