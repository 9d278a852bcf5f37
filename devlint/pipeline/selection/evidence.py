"""Comparing findings with a run: what it saw, what it contradicts, and what it did not reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from devlint.model import Confidence, Event, InRun, Move, Observed, Operation, Site, Synchronization, Transfer
from devlint.rules import registry
from devlint.runtime.recording.findings import findings
from devlint.runtime.recording.recorder import total
from devlint.runtime.trace.writer import digest_of

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.pipeline.session.task import FileOutcome
    from devlint.rules.base import Rule
    from devlint.runtime.trace import Trace

_HAPPENS = frozenset({Operation, Transfer, Synchronization, Move})
"""Events that a run observes when they happen. The absence of settings and registrations proves nothing."""
_ORDER = (InRun.SEEN, None, InRun.NOT_REACHED, InRun.CONTRADICTED)


class _Seen(NamedTuple):
    """An event or a finding of a run."""

    site: Site
    code: str
    """The rule that reports it; empty for an event."""
    kind: type[Event] | None
    observed: Observed


class Evidence:
    """The evidence of one run."""

    def __init__(self, name: str, trace: Trace) -> None:
        """`name` is the name of the trace in reports."""
        self.name = name
        self.remarks: list[str] = []
        """What it cannot show, one sentence each."""
        self._ran = trace.ran
        self._seen: defaultdict[str, list[_Seen]] = defaultdict(list)
        for each in findings(trace.tallies, trace):
            self._add(_Seen(each.site, each.code, None, each.observed or Observed(1)))
        located = trace.locate({tally.event.site for tally in trace.tallies})
        for tally in trace.tallies:
            measured = Observed(tally.count, tally.seconds, tally.bytes)
            self._add(_Seen(located.site(tally.event.site), "", type(tally.event), measured))
        self._contradicts = bool(self._seen) and not trace.doubt
        if not self._ran:
            how = "`devlint run --trace-lines` does"
            self.remarks.append(f"{name} does not contain executed lines ({how}), so it contradicts nothing")
        elif not self._contradicts:
            self.remarks.append(
                f"the run of {name} used no device or was not completely observed, so it contradicts nothing"
            )

    def _add(self, seen: _Seen) -> None:
        self._seen[seen.site.path].append(seen)

    def weigh(self, outcomes: Iterable[FileOutcome]) -> None:
        """Set the verdict of the run on the findings of files. Findings that the run saw get the confidence
        `seen`."""
        for outcome in outcomes:
            if outcome.file is None or not outcome.findings:
                continue
            path = str(outcome.file.path)
            ran = self._ran.get(path)
            if ran is not None and ran.digest != digest_of(path):
                self.remarks.append(
                    f"{outcome.path} has changed since the run, so its findings were not compared"
                )
                continue
            outcome.findings = [self._marked(each, path) for each in outcome.findings]

    def _marked(self, finding: Finding, path: str) -> Finding:
        rule = registry.rule(finding.code)
        seen = [each for each in self._seen.get(path, ()) if _meet(each.site, finding.site)]
        ours = [each for each in seen if each.code == finding.code] or [
            each for each in seen if rule is not None and _is_for(rule, each.kind)
        ]
        if ours:
            measured = _sum([each.observed for each in ours])
            return replace(finding, in_run=InRun.SEEN, confidence=Confidence.SEEN, observed=measured)
        verdict = (
            self._verdict(finding, path) if rule is not None and _HAPPENS.issuperset(rule.events()) else None
        )
        return replace(finding, in_run=verdict)

    def _verdict(self, finding: Finding, path: str) -> InRun | None:
        """The verdict on a finding that the run did not see."""
        if not self._ran:
            return None
        ran = self._ran.get(path)
        lines = range(finding.site.line, finding.site.end_line + 1)
        if ran is None or ran.lines.isdisjoint(lines):
            return InRun.NOT_REACHED
        return InRun.CONTRADICTED if self._contradicts else None


def by_cost(found: Iterable[Finding]) -> list[Finding]:
    """Sort: findings that the run saw first, by waiting time, bytes and count; contradicted ones last."""

    def order(finding: Finding) -> tuple[Any, ...]:
        cost = (finding.in_run is InRun.SEEN and finding.observed) or Observed(0)
        place = _ORDER.index(finding.in_run)
        return (place, -(cost.seconds or 0.0), -(cost.bytes or 0), -cost.count, finding.sort_key)

    return sorted(found, key=order)


def _is_for(rule: Rule[Any], kind: type[Event] | None) -> bool:
    return kind is not None and kind in _HAPPENS and kind in rule.events()


def _meet(one: Site, other: Site) -> bool:
    """Whether two places have a character in common."""
    return (one.line, one.column) < (other.end_line, other.end_column) and (other.line, other.column) < (
        one.end_line,
        one.end_column,
    )


def _sum(parts: Sequence[Observed]) -> Observed:
    found = parts[0]
    for each in parts[1:]:
        found = Observed(
            found.count + each.count, total(found.seconds, each.seconds), total(found.bytes, each.bytes)
        )
    return found
