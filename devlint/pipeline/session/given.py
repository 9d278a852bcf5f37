"""Functions that nothing calls, except others that nothing calls either, with data on the host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from devlint.model import Confidence

if TYPE_CHECKING:
    from devlint.pipeline.analysis.analysis import Claim
    from devlint.pipeline.session.task import FileOutcome

Named: TypeAlias = tuple[str, str]
"""A function: path and qualified name."""


def called_on_host(outcomes: Sequence[FileOutcome], reached: Set[Named]) -> frozenset[Named]:
    """The functions that all their callers in other files give data on the host.

    A caller whose own arguments are assumed, and that hands them on, does not count if it has callers itself:
    `reached`, or others that have data on the host.
    """
    on_host: set[Named] = set()
    elsewhere: defaultdict[Named, set[Named]] = defaultdict(set)
    for outcome in outcomes:
        if outcome.file is None:
            continue
        own = str(outcome.file.path)
        for path, function, caller, is_on_host in outcome.analysis.given:
            if is_on_host:
                on_host.add((path, function))
            else:
                elsewhere[path, function].add((own, caller))
    found = {each for each in on_host if each not in elsewhere}
    waiting = on_host - found
    while True:
        more = {each for each in waiting if elsewhere[each] <= reached | found}
        if not more:
            return frozenset(found)
        found |= more
        waiting -= more


def doubted(claim: Claim) -> Claim:
    """A finding that rests on arguments which lie on an accelerator, though callers have theirs on the
    host."""
    finding = claim.finding
    if finding.confidence is not Confidence.LIKELY:
        return claim
    return claim._replace(finding=replace(finding, confidence=Confidence.POSSIBLE))
