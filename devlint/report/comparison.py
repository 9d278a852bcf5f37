"""The comparison of two runs, by place: what is gone, new, more or less frequent; as text and as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TextIO

from devlint.model import Site
from devlint.model.visible import visible
from devlint.report.amounts import count, duration, size, times
from devlint.report.place import absolute, place
from devlint.report.totals import RunTotals, Seen


class Verdict(Enum):
    """How something changed, the worst first."""

    NEW = "new"
    MORE = "more often"
    FEWER = "less often"
    GONE = "gone"
    SAME = "as often"


class Side(NamedTuple):
    """Something as seen in one of the runs."""

    site: Site
    seen: Seen


@dataclass(frozen=True, slots=True)
class RunDifference:
    """Something that both runs have, or one of them."""

    what: str
    code: str
    """The rule that reports it; empty for a wait or a copy."""
    before: Side | None
    after: Side | None

    @property
    def verdict(self) -> Verdict:
        """How it changed, by how often it was seen."""
        if self.before is None:
            return Verdict.NEW
        if self.after is None:
            return Verdict.GONE
        more = self.after.seen.count - self.before.seen.count
        return Verdict.SAME if not more else Verdict.MORE if more > 0 else Verdict.FEWER

    @property
    def gain(self) -> tuple[float, int]:
        """The seconds and times saved: before minus after."""
        before, after = (Seen() if side is None else side.seen for side in (self.before, self.after))
        return (before.seconds or 0.0) - (after.seconds or 0.0), before.count - after.count


class ComparedRun(NamedTuple):
    """One of the two, as a whole."""

    name: str
    steps: int
    """How many optimizer steps it took."""
    totals: RunTotals


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both runs, and what differs, the worst first."""

    before: ComparedRun
    after: ComparedRun
    findings: Sequence[RunDifference]
    acts: Sequence[RunDifference]
    """Waits and copies, whether or not a rule reports them."""

    @property
    def is_worse(self) -> bool:
        """Whether a finding is new, or more frequent."""
        return any(change.verdict in (Verdict.NEW, Verdict.MORE) for change in self.findings)

    @property
    def remarks(self) -> Iterator[str]:
        """What limits the comparison, one sentence each."""
        if self.before.steps != self.after.steps:
            steps = " and ".join(count(run.steps, "optimizer step") for run in (self.before, self.after))
            yield f"the runs took {steps}: numbers are of whole runs"
        both = [remark for remark in self.before.totals.remarks if remark in self.after.totals.remarks]
        yield from both
        for run in (self.before, self.after):
            yield from (f"{run.name}: {remark}" for remark in run.totals.remarks if remark not in both)


def render(comparison: Comparison, out: TextIO) -> None:
    """Each difference on one line, and the totals of the runs."""
    before, after = comparison.before, comparison.after
    out.write(f"Before: {visible(before.name)}\nAfter: {visible(after.name)}\n")
    for title, changes in (("Findings", comparison.findings), ("Waits and copies", comparison.acts)):
        out.write(f"\n{title}: {summed(changes)}\n")
        out.writelines(f"  {line}\n" for line in map(_line, changes) if line)
    out.write(f"\nIn all: {', '.join(totalled(comparison))}.\n")
    out.writelines(f"note: {visible(remark)}\n" for remark in comparison.remarks)


def render_json(comparison: Comparison, out: TextIO) -> None:
    """Everything as one object, including what did not change."""
    data = {
        **{
            when: {"name": run.name, "steps": run.steps}
            for when, run in (("before", comparison.before), ("after", comparison.after))
        },
        "findings": list(map(_record, comparison.findings)),
        "waits_and_copies": list(map(_record, comparison.acts)),
    }
    json.dump(data, out, indent=2)
    out.write("\n")


def summed(changes: Sequence[RunDifference]) -> str:
    """`1 new, 2 gone, 3 as often`; `none` where there are none."""
    numbers = {verdict: sum(change.verdict is verdict for change in changes) for verdict in Verdict}
    return ", ".join(f"{number:,} {verdict.value}" for verdict, number in numbers.items() if number) or "none"


def measured(side: Side | None) -> str:
    """`12 times, 4.8 MB, the host waited 1.9 s`; `never`."""
    if side is None:
        return "never"
    parts = [times(side.seen.count)]
    if side.seen.bytes is not None:
        parts.append(size(side.seen.bytes))
    if side.seen.seconds is not None:
        parts.append(f"the host waited {duration(side.seen.seconds)}")
    return ", ".join(parts)


def where(change: RunDifference) -> str:
    """`train.py:23:9`, or both places if it moved."""
    sites = [place(side.site) for side in (change.before, change.after) if side is not None]
    return " → ".join(dict.fromkeys(sites))


def totalled(comparison: Comparison) -> Iterator[str]:
    """`52 → 12 waits (1.9 s → 120 ms)`, and the same of copies."""
    first, second = comparison.before.totals, comparison.after.totals
    totals = [
        ("waits", first.waits, second.waits),
        ("copies to devices", first.uploads, second.uploads),
        ("copies to the host", first.downloads, second.downloads),
    ]
    if first.between.count or second.between.count:  # most runs have one device
        totals.append(("copies between devices", first.between, second.between))
    for noun, before, after in totals:
        costs = []
        if before.bytes is not None or after.bytes is not None:
            costs.append(_pair(size(before.bytes or 0), size(after.bytes or 0)))
        if before.seconds is not None or after.seconds is not None:
            costs.append(_pair(duration(before.seconds or 0.0), duration(after.seconds or 0.0)))
        cost = f" ({', '.join(costs)})" if costs else ""
        yield f"{_pair(f'{before.count:,}', f'{after.count:,}')} {noun}{cost}"


def _pair(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _line(change: RunDifference) -> str:
    """The line of a difference; empty if there is none."""
    if change.verdict is Verdict.SAME:
        return ""
    said = f"{change.code} {change.what}" if change.code else change.what
    cost = f"{measured(change.before)} → {measured(change.after)}"
    return f"{change.verdict.value:<10} {where(change)} {visible(said)}: {cost}"


def _record(change: RunDifference) -> dict[str, Any]:
    return {
        "verdict": change.verdict.value,
        "code": change.code or None,
        "what": change.what,
        "before": _side(change.before),
        "after": _side(change.after),
    }


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "filename": absolute(side.site.path),
        "cell": side.site.cell,
        "location": {"row": side.site.line, "column": side.site.column},
        "count": side.seen.count,
        "seconds": side.seen.seconds,
        "bytes": side.seen.bytes,
    }
