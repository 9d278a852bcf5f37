"""The totals of a run, and the lines that close its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devlint.model import Finding, Observed, Site
from devlint.report.amounts import approximate, count, duration, observed, size
from devlint.report.place import place


@dataclass(frozen=True, slots=True)
class Seen:
    """All waits or copies of one kind in a run, whether or not a rule reports them.

    `seconds` is how long the host waited, if measured; `bytes` is how much was copied.
    """

    count: int = 0
    seconds: float | None = None
    bytes: int | None = None
    estimated: bool = False
    """Whether the numbers are estimated from a part of the run's steps."""


@dataclass(frozen=True, slots=True)
class OperatorTotal:
    """The waits for one operator at one place."""

    site: Site
    operator: str
    seen: Seen
    package: str = ""
    """The installed package that calls the operator; `site` is the program's line that leads there."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Findings in an installed package, which are shown as a number."""

    package: str
    findings: int
    callers: tuple[Site, ...]
    """The program's lines that lead there."""


@dataclass(frozen=True, slots=True)
class RunTotals:
    """What was observed in total, and what was not observed."""

    waits: Seen = Seen()
    uploads: Seen = Seen()
    downloads: Seen = Seen()
    between: Seen = Seen()
    """Copies from one device to another."""
    unspoken: Sequence[OperatorTotal] = ()
    """The waits that no rule reports, by place, the most frequent first."""
    folded: Sequence[Folded] = ()
    remarks: Sequence[str] = ()
    """What was not observed, one sentence each."""
    title: str = ""
    """Which of several processes was observed; empty if there is one."""
    doubt: str = ""
    """Why a report without findings does not mean that there is nothing to find; empty if it does."""


MOST_PLACES = 8
"""How many places of waits that no rule reports are named."""


def closing_lines(totals: RunTotals, findings: int, usual: Sequence[Finding] = ()) -> Iterator[str]:
    """How much was found, the advice, the totals of the run, and what was not observed.

    `usual` are findings that are reported once for all places.
    """
    if totals.title:
        yield f"Of {totals.title}:"
    if findings:
        yield f"Found {count(findings, 'finding', 'findings')}."
    else:
        yield totals.doubt or _nothing(totals, usual)
    for code in dict.fromkeys(finding.code for finding in usual):
        yield _advice([finding for finding in usual if finding.code == code])
    yield from map(in_package, totals.folded)
    seen = [
        _described(totals.waits, "wait", "waits"),
        _described(totals.uploads, "copy to a device", "copies to devices"),
        _described(totals.downloads, "copy to the host", "copies to the host"),
        _described(totals.between, "copy between devices", "copies between devices"),
    ]
    if any(seen):
        yield f"In all: {', '.join(filter(None, seen))}."
    yield from _unspoken(totals.unspoken)
    for remark in totals.remarks:
        yield f"note: {remark}"


def _nothing(totals: RunTotals, usual: Sequence[Finding]) -> str:
    """The line without findings: where nothing was found, or except for what."""
    where = " in the program's own code" if totals.folded else ""
    but = " but what nearly every program does" if usual else ""
    return f"Nothing was found{where}{but}."


def in_package(folded: Folded) -> str:
    """`6 findings in transformers, called from finetune.py:41:9: …`, and the option that shows them."""
    first, others = folded.callers[:1], len(folded.callers) - 1
    called = "".join(f", called from {place(site)}" for site in first)
    more = f" and {count(others, 'more place')}" if others > 0 else ""
    them = "it" if folded.findings == 1 else "them"
    found = count(folded.findings, "finding")
    return f"{found} in {folded.package}{called}{more}: `--third-party` shows {them}"


def _advice(findings: Sequence[Finding]) -> str:
    """The message of a rule for the first place, and the number of further places."""
    first, others = findings[0], len(findings) - 1
    measured = [] if first.observed is None else [observed(first.observed)]
    more = [f"and at {count(others, 'more place')}"] if others else []
    where = ", ".join([f"{first.code}, {place(first.site)}", *measured, *more])
    return f"advice: {first.message} ({where}): {first.help}"


def _unspoken(places: Sequence[OperatorTotal]) -> Iterator[str]:
    if not places:
        return
    yield "Waits that no rule reports:"
    for each in places[:MOST_PLACES]:
        measured = observed(Observed(each.seen.count, each.seen.seconds, estimated=each.seen.estimated))
        package = f" in {each.package}" if each.package else ""
        yield f"  {place(each.site)} `{each.operator}`{package}, {measured}"
    left = places[MOST_PLACES:]
    if left:
        waits = sum(each.seen.count for each in left)
        yield f"  and {waits:,} more at {count(len(left), 'place')}"


def _described(seen: Seen, singular: str, plural: str) -> str:
    """`1,200 waits (1.9 s)`; empty where nothing was seen."""
    if not seen.count:
        return ""
    measured = [
        *([size(seen.bytes)] if seen.bytes is not None else []),
        *([duration(seen.seconds)] if seen.seconds is not None else []),
    ]
    counted = approximate(count(seen.count, singular, plural), estimated=seen.estimated)
    return counted + (f" ({', '.join(measured)})" if measured else "")
