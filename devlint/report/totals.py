"""What a run comes to besides its findings, and the lines that close its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devlint.report.amounts import count, duration, size


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a run has shown of one kind, whether or not a rule speaks of it.

    `seconds` is how long the host waited, where that was measured; `bytes` how much was copied.
    """

    count: int = 0
    seconds: float | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class RunTotals:
    """What was seen in all, and what was not."""

    waits: Seen = Seen()
    uploads: Seen = Seen()
    downloads: Seen = Seen()
    remarks: Sequence[str] = ()
    """What was not seen, one sentence each."""
    doubt: str = ""
    """Said where nothing was found, if that does not mean that there is nothing."""


def closing_lines(totals: RunTotals, findings: int) -> Iterator[str]:
    """How much was found, what the run did in all, what was not seen."""
    if findings:
        yield f"Found {count(findings, 'finding', 'findings')}."
    else:
        yield totals.doubt or "Nothing was found."
    seen = [
        _described(totals.waits, "wait", "waits"),
        _described(totals.uploads, "copy to a device", "copies to devices"),
        _described(totals.downloads, "copy to the host", "copies to the host"),
    ]
    if any(seen):
        yield f"In all: {', '.join(filter(None, seen))}."
    for remark in totals.remarks:
        yield f"note: {remark}"


def _described(seen: Seen, singular: str, plural: str) -> str:
    """`1,200 waits (1.9 s)`; empty where nothing was seen."""
    if not seen.count:
        return ""
    measured = [
        *([size(seen.bytes)] if seen.bytes is not None else []),
        *([duration(seen.seconds)] if seen.seconds is not None else []),
    ]
    return count(seen.count, singular, plural) + (f" ({', '.join(measured)})" if measured else "")
