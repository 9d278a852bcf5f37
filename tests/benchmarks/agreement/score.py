"""Compares the findings of the check with the run of a program, line by line, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.agreement.brief import brief_lines
from tests.benchmarks.agreement.periodic import periodic_lines
from tests.benchmarks.agreement.truth import Found, Place, Seen, Truth

RUN_ALONE = frozenset({"DL204", "DL210"})
"""Rules that are on in a run and off by default in the check: their lines are not expected of the check."""
TEXT_ALONE = frozenset({"DL112", "DL209"})
"""Rules about the source code, which a run cannot confirm."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A line at which the run waited or copied needlessly on a hot path."""

    found: Found
    reported: str
    """The code that the check reports there; empty if it reports no code of that family."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding of the check on executed lines."""

    found: Found
    doubt: str
    """Why the run does not confirm it; empty if it does."""
    brief: bool = False
    """Whether it is about a loop of too few turns for the run to confirm it."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The result for one program."""

    shown: tuple[Shown, ...]
    claims: tuple[Claim, ...]
    left_out: dict[str, int]
    """The number of lines of the run that were left out, by reason."""


def agreement(truth: Truth, claims: Sequence[Found], root: Path) -> Agreement:
    """Compare the two."""
    periodic = {path: _periodic(root / path) for path in truth.files}
    shown: dict[tuple[str, str, int], Shown] = {}
    left_out: dict[str, int] = {}
    for found in truth.found:
        if found.code[:3] not in ("DL2", "DL3"):
            continue
        if reason := _left_out(found, truth, periodic):
            left_out[reason] = left_out.get(reason, 0) + 1
            continue
        key = (found.code[:3], found.place.path, found.place.first)
        shown.setdefault(key, Shown(found, _reported(found, claims)))
    brief = {path: _brief(root / path, truth.lines[path]) for path in truth.files}
    judged = {
        (claim.code, claim.place.path, claim.place.first): _judged(claim, truth, brief)
        for claim in claims
        if _is_judged(claim, truth)
    }
    return Agreement(tuple(shown.values()), tuple(judged.values()), left_out)


def _periodic(path: Path) -> frozenset[int]:
    try:
        return periodic_lines(path.read_text("utf-8", errors="replace"))
    except SyntaxError:
        return frozenset()


def _brief(path: Path, executed: dict[int, int]) -> frozenset[int]:
    try:
        return brief_lines(path.read_text("utf-8", errors="replace"), executed)
    except SyntaxError:
        return frozenset()


def _left_out(found: Found, truth: Truth, periodic: dict[str, frozenset[int]]) -> str:
    """Why a finding of the run is not expected of the check; empty if it is."""
    if found.code in RUN_ALONE:
        return f"{found.code}, in a run alone"
    if found.place.first in periodic.get(found.place.path, ()):
        return "periodic, below a test with %"
    if not _is_hot(found, truth):
        return "rarer than at every third batch or step"
    return ""


def _is_hot(found: Found, truth: Truth) -> bool:
    """Whether an event at the finding's lines recurs from batch to batch or from step to step."""
    kinds = ("Synchronization",) if found.code.startswith("DL2") else ("Synchronization", "Transfer", "Move")
    return any(
        seen.hot
        and seen.kind in kinds
        and any(seen.place.overlaps(place) for place in (found.place, *found.related))
        for seen in truth.seen
    )


def _reported(found: Found, claims: Sequence[Found]) -> str:
    for claim in claims:
        if claim.code[:3] == found.code[:3] and meet(found, claim):
            return claim.code
    return ""


def meet(first: Found, second: Found) -> bool:
    """Whether two findings are of the same lines; of a copy, also where the tensor is made."""
    if first.place.overlaps(second.place):
        return True
    if first.code.startswith("DL2"):
        return False
    return any(second.place.overlaps(place) for place in first.related) or any(
        first.place.overlaps(place) for place in second.related
    )


def _is_judged(claim: Found, truth: Truth) -> bool:
    return (
        claim.code[:3] in ("DL1", "DL2", "DL3")
        and claim.code not in TEXT_ALONE
        and truth.executed(claim.place)
    )


def _judged(claim: Found, truth: Truth, brief: dict[str, frozenset[int]]) -> Claim:
    doubt = _doubt(claim, truth)
    is_brief = claim.place.first in brief.get(claim.place.path, ())
    return Claim(claim, doubt, brief=bool(doubt) and claim.code[:3] != "DL1" and is_brief)


def _doubt(claim: Found, truth: Truth) -> str:
    family = claim.code[:3]
    if any(found.code[:3] == family and meet(found, claim) for found in truth.found):
        return (
            ""
            if family != "DL2" or any(_waits(claim.place, truth))
            else "waits, but not at every third batch"
        )
    if family == "DL1":
        return "nothing raised"
    if family == "DL3":
        moved = any(
            seen.kind in ("Transfer", "Move") and seen.place.overlaps(claim.place) for seen in truth.seen
        )
        return "copied, and rightly so" if moved else "nothing copied"
    waits = list(_waits(claim.place, truth))
    if any(waits):
        return ""
    if waits:
        return "waits, but not at every third batch"
    return (
        "waits, right after another wait"
        if any(_is_wait(seen, claim.place) for seen in truth.seen)
        else "no wait"
    )


def _waits(place: Place, truth: Truth) -> Iterator[bool]:
    """Whether each wait at these lines is on a hot path."""
    for seen in truth.seen:
        if _is_wait(seen, place) and seen.already < seen.count:
            yield seen.hot


def _is_wait(seen: Seen, place: Place) -> bool:
    return seen.kind == "Synchronization" and seen.place.overlaps(place)
