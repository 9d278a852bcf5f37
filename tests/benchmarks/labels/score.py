"""Holds what the check says of a library against the labels of its executed lines, both ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.benchmarks.agreement.score import RUN_ALONE, TEXT_ALONE, meet
from tests.benchmarks.agreement.truth import Found, Place, Truth
from tests.benchmarks.labels.observe import EXCUSED

FAMILIES = ("DL1", "DL2", "DL3")
AGAIN = frozenset({"DL302", "DL307"})
"""Rules about a copy that is made again and again: once is none."""
NO_COPY = "DL308"
"""The rule about a move that copies nothing."""


@dataclass(frozen=True, slots=True)
class Label:
    """A place where the library makes a mistake, or waits or copies in a forward, with the check's
    finding."""

    found: Found
    claim: Found | None
    """The most certain finding of the same family there."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that the check says of lines that were executed."""

    found: Found
    outcome: str


@dataclass(frozen=True, slots=True)
class Joined:
    """The result for one library."""

    labels: tuple[Label, ...]
    claims: tuple[Claim, ...]
    left_out: Counter[str]
    """Findings of the run that are not expected of the check, by reason."""
    lines: int
    """The number of executed lines."""
    unreached: int
    """The number of findings of the check without an executed line."""


HAPPENED = "happened"
NOTHING = "nothing happened"
OTHER_PATH = "another path was run"
"""A line that belongs to the finding, as where the tensor is made or moved, was not executed."""
SET_ASIDE = "excused"
"""Devices were mixed there in a constructor, by the contract of a host argument, or by lifting itself."""
NOT_JUDGED = (OTHER_PATH, SET_ASIDE)
"""Reasons why label and finding may differ; such findings count neither for nor against the check."""


def join(truth: Truth, claims: Sequence[Found]) -> Joined:
    """Hold the two against each other; `claims` are those of every confidence."""
    left_out: Counter[str] = Counter()
    labels: dict[tuple[str, str, int], Label] = {}
    for found in truth.found:
        if reason := _left_out(found, truth):
            left_out[reason] += 1
        else:
            key = (found.code[:3], found.place.path, found.place.first)
            labels.setdefault(key, Label(found, _surest(found, claims)))
    judged = [claim for claim in claims if claim.code.startswith(FAMILIES) and claim.code not in TEXT_ALONE]
    reached = {
        (claim.code, claim.place.path, claim.place.first): Claim(claim, outcome(claim, truth))
        for claim in judged
        if truth.executed(claim.place)
    }
    unreached = sum(not truth.executed(claim.place) for claim in judged)
    lines = sum(len(counts) for counts in truth.lines.values())
    return Joined(tuple(labels.values()), tuple(reached.values()), left_out, lines, unreached)


def outcome(claim: Found, truth: Truth) -> str:
    """The run's verdict on a finding of the check with executed lines."""
    if any(found.code[:3] == claim.code[:3] and meet(found, claim) for found in truth.found):
        return HAPPENED
    if _happened(claim, truth):
        return HAPPENED
    if claim.code.startswith("DL1") and any(_times(EXCUSED, place, truth) for place in _places(claim)):
        return SET_ASIDE
    if not all(truth.executed(place) for place in claim.related if place.path in truth.lines):
        return OTHER_PATH
    return NOTHING


def _happened(claim: Found, truth: Truth) -> bool:
    """Whether the lines wait or copy, as the finding says, be it on a hot path or not."""
    if claim.code.startswith("DL2"):
        return _times("Synchronization", claim.place, truth) > 0
    if not claim.code.startswith("DL3") or claim.code == NO_COPY:
        return False
    copies = max(_times("Transfer", place, truth) for place in _places(claim))
    return copies > (claim.code in AGAIN)


def _places(found: Found) -> Iterator[Place]:
    yield found.place
    yield from found.related


def _times(kind: str, place: Place, truth: Truth) -> int:
    return sum(seen.count for seen in truth.seen if seen.kind == kind and seen.place.overlaps(place))


def _left_out(found: Found, truth: Truth) -> str:
    """Why a finding of the run is not expected of the check; empty if it is."""
    if found.place.path not in truth.lines:
        return "outside of the package"
    if found.code.startswith("DL1"):
        return ""
    if found.code in RUN_ALONE:
        return f"{found.code}, in a run alone"
    in_forward = any(
        seen.forward and any(seen.place.overlaps(place) for place in _places(found)) for seen in truth.seen
    )
    return "" if in_forward else "hot in the test alone: not in the forward of a module"


def _surest(found: Found, claims: Sequence[Found]) -> Found | None:
    meeting = [claim for claim in claims if claim.code[:3] == found.code[:3] and meet(found, claim)]
    return min(meeting, key=lambda claim: CONFIDENCES.index(claim.confidence), default=None)


CONFIDENCES = ("seen", "certain", "likely", "possible", "")
