"""The figures of joined libraries, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.agreement.table import codes, line, share
from tests.benchmarks.labels.score import CONFIDENCES, FAMILIES, HAPPENED, NOT_JUDGED, NOTHING, Claim, Joined

DEFAULT = ("certain", "likely")
"""The confidences of what the check reports without being asked for more."""


@dataclass(frozen=True, slots=True)
class Row:
    """One library and what came of it."""

    name: str
    root: Path
    joined: Joined


def table(rows: Sequence[Row]) -> Iterator[str]:
    """All figures."""
    yield f"{len(rows)} suites, {sum(row.joined.lines for row in rows)} executed lines"
    yield ""
    yield "labelled lines: reported by the check"
    yield from _recall(rows)
    yield ""
    yield "what the check reports on executed lines: happened, of what the run can judge"
    yield from _precision(rows)
    unreached = sum(row.joined.unreached for row in rows)
    yield f"  not executed: {unreached}"


def missed(rows: Iterable[Row]) -> Iterator[str]:
    """Labelled lines that the check does not report by default."""
    for row in rows:
        for label in row.joined.labels:
            if label.claim is None or label.claim.confidence not in DEFAULT:
                said = "not reported" if label.claim is None else f"only {label.claim.confidence}"
                yield line(row.name, row.root, label.found, said)


def unconfirmed(rows: Iterable[Row]) -> Iterator[str]:
    """The findings of the check, of any confidence, that the run does not confirm."""
    for row in rows:
        for claim in row.joined.claims:
            if claim.outcome != HAPPENED:
                yield line(row.name, row.root, claim.found, claim.outcome)


def _recall(rows: Sequence[Row]) -> Iterator[str]:
    labels = [label for row in rows for label in row.joined.labels]
    for code in codes(label.found.code for label in labels):
        of_it = [label for label in labels if label.found.code.startswith(code)]
        by_default = [label.claim is not None and label.claim.confidence in DEFAULT for label in of_it]
        possible = sum(label.claim is not None for label in of_it) - sum(by_default)
        yield f"{share(code, by_default)}, {possible} more as possible"
    left_out = sum((row.joined.left_out for row in rows), Counter[str]())
    for reason, count in sorted(left_out.items()):
        yield f"  left out: {count:>4} {reason}"


def _precision(rows: Sequence[Row]) -> Iterator[str]:
    claims = [claim for row in rows for claim in row.joined.claims]
    for code in codes(claim.found.code for claim in claims):
        of_it = [claim for claim in claims if claim.found.code.startswith(code)]
        if len(code) == len(FAMILIES[0]):
            for confidence in CONFIDENCES:
                alike = [claim for claim in of_it if claim.found.confidence == confidence]
                if alike:
                    yield _judged(f"{code} {confidence}", alike)
        else:
            yield _judged(code, [claim for claim in of_it if claim.found.confidence in DEFAULT])


def _judged(name: str, claims: Sequence[Claim]) -> str:
    right = [claim.outcome == HAPPENED for claim in claims if claim.outcome in (HAPPENED, NOTHING)]
    aside = Counter(claim.outcome for claim in claims if claim.outcome in NOT_JUDGED)
    return f"{share(name, right)}" + "".join(f", {count} {reason}" for reason, count in aside.items())
