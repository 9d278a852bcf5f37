"""The findings of all tests, in all processes that run them."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from devlint.model import Finding, Observed
from devlint.report import Report, SourceText
from devlint.report.totals import RunTotals, Seen
from devlint.runtime.recording.findings import worst_first
from devlint.runtime.recording.recorder import total


@dataclass(slots=True)
class Entry:
    """One finding, with its measurements over all tests."""

    finding: Finding
    tests: list[str]
    """The tests in which it was seen, in the order in which they ran."""


@dataclass(slots=True)
class Ledger:
    """All findings. Those with the same place and message are one."""

    _entries: dict[Finding, Entry] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _totals: RunTotals = field(default_factory=RunTotals)

    def add(self, test: str, report: Report) -> None:
        """Add the findings of a test."""
        for finding in report.findings:
            self._enter(finding, [test])
        self._texts.update((path, source.text) for path, source in report.sources.items())
        if report.run is not None:
            self._totals = _sum(self._totals, report.run)

    def remark(self, remarks: Sequence[str], doubt: str) -> None:
        """Add what was not observed in the whole run, and why the absence of findings would mean little."""
        self._totals = _sum(self._totals, RunTotals(remarks=remarks, doubt=doubt))

    def merge(self, other: Ledger) -> None:
        """Add the findings of another process."""
        for entry in other._entries.values():
            self._enter(entry.finding, entry.tests)
        self._texts.update(other._texts)
        self._totals = _sum(self._totals, other._totals)

    def entries(self) -> list[Entry]:
        """Worst first."""
        return sorted(self._entries.values(), key=lambda entry: worst_first(entry.finding))

    def report(self, findings: Iterable[Finding], *, closing: bool) -> Report:
        """A report of some findings; with `closing` it ends in the totals."""
        sources = {path: SourceText(text) for path, text in self._texts.items()}
        return Report(findings=list(findings), sources=sources, closing=closing, run=self._totals)

    def packed(self) -> bytes:
        """The ledger as bytes, for another process."""
        return pickle.dumps(self)

    @staticmethod
    def unpacked(data: bytes) -> Ledger:
        """The inverse of `packed`. Only for trusted data, because it is not checked."""
        ledger: Ledger = pickle.loads(data)
        return ledger

    def _enter(self, finding: Finding, tests: list[str]) -> None:
        known = self._entries.setdefault(replace(finding, observed=None), Entry(finding, []))
        if known.tests:
            observed = _both(known.finding.observed, finding.observed)
            known.finding = replace(known.finding, observed=observed)
        known.tests.extend(test for test in tests if test not in known.tests)


def _both(left: Observed | None, right: Observed | None) -> Observed | None:
    if left is None or right is None:
        return left or right
    return Observed(
        left.count + right.count, total(left.seconds, right.seconds), total(left.bytes, right.bytes)
    )


def _sum(left: RunTotals, right: RunTotals) -> RunTotals:
    return RunTotals(
        waits=_more(left.waits, right.waits),
        uploads=_more(left.uploads, right.uploads),
        downloads=_more(left.downloads, right.downloads),
        between=_more(left.between, right.between),
        remarks=tuple(dict.fromkeys((*left.remarks, *right.remarks))),
        doubt=left.doubt or right.doubt,
    )


def _more(left: Seen, right: Seen) -> Seen:
    return Seen(left.count + right.count, total(left.seconds, right.seconds), total(left.bytes, right.bytes))
