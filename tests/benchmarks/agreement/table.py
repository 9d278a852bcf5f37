"""The figures of an agreement, as text: per family, per rule, per confidence, and what is behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.agreement.score import Agreement, Claim, Shown

FAMILIES = ("DL1", "DL2", "DL3")


@dataclass(frozen=True, slots=True)
class Row:
    """One program and what came of it."""

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
    yield _share("all", [bool(line.reported) for line in shown])
    for code in _codes(line.found.code for line in shown):
        yield _share(code, [bool(line.reported) for line in shown if line.found.code.startswith(code)])
    for reason, count in sorted(left_out.items()):
        yield f"  left out: {count:>4} {reason}"
    yield ""
    yield "what the check reports on executed lines: confirmed by the run"
    yield _share("all", [not claim.doubt for claim in claims])
    for code in _codes(claim.found.code for claim in claims):
        yield _share(code, [not claim.doubt for claim in claims if claim.found.code.startswith(code)])
    for confidence in sorted({claim.found.confidence for claim in claims} - {""}):
        for family in FAMILIES:
            of_it = [claim for claim in claims if claim.found.confidence == confidence]
            confirmed = [not claim.doubt for claim in of_it if claim.found.code.startswith(family)]
            if confirmed:
                yield _share(f"{family} {confidence}", confirmed)


def missed(rows: Iterable[Row]) -> Iterator[str]:
    """The lines of the runs that the check does not report."""
    for row in rows:
        for line in row.agreement.shown:
            if not line.reported:
                yield _line(row, line)


def unconfirmed(rows: Iterable[Row]) -> Iterator[str]:
    """What the check reports and the run does not confirm."""
    for row in rows:
        for claim in row.agreement.claims:
            if claim.doubt:
                yield _line(row, claim)


def _place(row: Row, listed: Shown | Claim) -> tuple[Path, str, str, int]:
    """What is the same where several programs of one repository go through a line."""
    return row.root, listed.found.code, listed.found.place.path, listed.found.place.first


def _codes(codes: Iterable[str]) -> list[str]:
    """The families and the rules that occur."""
    found = set(codes)
    return sorted(found | {code[:3] for code in found})


def _share(name: str, right: Sequence[bool]) -> str:
    of_all = f"{sum(right) / len(right):.2f}" if right else "   -"
    return f"  {'' if len(name) <= 3 else '  '}{name:<14} {sum(right):>5} of {len(right):>5}  {of_all}"


def _line(row: Row, listed: Shown | Claim) -> str:
    found = listed.found
    place = found.place
    why = listed.doubt if isinstance(listed, Claim) else f"{found.count} times"
    sure = f" {found.confidence}" if found.confidence else ""
    source = (row.root / place.path).read_text("utf-8", errors="replace").splitlines()
    text = source[place.first - 1].strip() if place.first <= len(source) else ""
    return f"{row.name}: {place.path}:{place.first}: {found.code}{sure} ({why}): {text}"
