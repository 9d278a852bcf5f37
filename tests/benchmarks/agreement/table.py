"""Prints the figures of an agreement: by family, by rule, by confidence, and the lines behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.agreement.score import Agreement, Claim, Shown
from tests.benchmarks.agreement.truth import Found

FAMILIES = ("DL1", "DL2", "DL3")


@dataclass(frozen=True, slots=True)
class Row:
    """One program and its result."""

    name: str
    root: Path
    agreement: Agreement


def table(rows: Sequence[Row]) -> Iterator[str]:
    """All figures."""
    shown = list({_place(row, line): line for row in rows for line in row.agreement.shown}.values())
    claims = list({_place(row, claim): claim for row in rows for claim in row.agreement.claims}.values())
    left_out: Counter[str] = Counter()
    for row in rows:
        left_out.update(row.agreement.left_out)
    yield f"{len(rows)} programs"
    yield ""
    yield "lines at which a run waits (DL2) or copies for nothing (DL3) on a hot path: reported by the check"
    yield share("all", [bool(line.reported) for line in shown])
    for code in codes(line.found.code for line in shown):
        yield share(code, [bool(line.reported) for line in shown if line.found.code.startswith(code)])
    for reason, count in sorted(left_out.items()):
        yield f"  left out: {count:>4} {reason}"
    yield ""
    yield "what the check reports on executed lines: confirmed by the run"
    yield share("all", [not claim.doubt for claim in claims])
    brief = sum(claim.brief for claim in claims)
    yield f"  of these, {brief} are about loops of too few turns to confirm them"
    for code in codes(claim.found.code for claim in claims):
        yield share(code, [not claim.doubt for claim in claims if claim.found.code.startswith(code)])
    for confidence in sorted({claim.found.confidence for claim in claims} - {""}):
        for family in FAMILIES:
            of_it = [claim for claim in claims if claim.found.confidence == confidence]
            confirmed = [not claim.doubt for claim in of_it if claim.found.code.startswith(family)]
            if confirmed:
                yield share(f"{family} {confidence}", confirmed)


def missed(rows: Iterable[Row]) -> Iterator[str]:
    """The lines of the runs that the check does not report."""
    for row in rows:
        for shown in row.agreement.shown:
            if not shown.reported:
                yield _line(row, shown)


def unconfirmed(rows: Iterable[Row]) -> Iterator[str]:
    """The findings of the check that the run does not confirm."""
    for row in rows:
        for claim in row.agreement.claims:
            if claim.doubt:
                yield _line(row, claim)


def _place(row: Row, listed: Shown | Claim) -> tuple[Path, str, str, int]:
    """Groups the rows that several programs of one repository have in common."""
    return row.root, listed.found.code, listed.found.place.path, listed.found.place.first


def codes(occurring: Iterable[str]) -> list[str]:
    """The families and rules in the rows."""
    found = set(occurring)
    return sorted(found | {code[:3] for code in found})


def share(name: str, right: Sequence[bool]) -> str:
    """A line that says how many of some are right."""
    of_all = f"{sum(right) / len(right):.2f}" if right else "   -"
    return f"  {'' if len(name) <= 3 else '  '}{name:<14} {sum(right):>5} of {len(right):>5}  {of_all}"


def _line(row: Row, listed: Shown | Claim) -> str:
    found = listed.found
    why = listed.doubt if isinstance(listed, Claim) else f"{found.count} times"
    if isinstance(listed, Claim) and listed.brief:
        why += ", in a loop of few turns"
    return line(row.name, row.root, found, why)


def line(name: str, root: Path, found: Found, why: str) -> str:
    """One finding with its source text."""
    place = found.place
    sure = f" {found.confidence}" if found.confidence else ""
    source = (root / place.path).read_text("utf-8", errors="replace").splitlines()
    text = source[place.first - 1].strip() if place.first <= len(source) else ""
    return f"{name}: {place.path}:{place.first}: {found.code}{sure} ({why}): {text}"
