"""The result of a check or a run: everything that a format may show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.report.sources import SourceText
    from devlint.report.totals import RunTotals


class BaselineEffect(NamedTuple):
    """What a baseline did to a report."""

    name: str
    """Of its file."""
    known: int
    """How many findings are not shown because the baseline contains them."""
    gone: int
    """How many findings of the baseline no longer exist."""


class Untouched(NamedTuple):
    """The findings that are not shown because a change does not touch them."""

    rev: str
    """The revision before the change."""
    hidden: int
    """How many findings."""


class Weighed(NamedTuple):
    """The run with which the findings of a check were compared."""

    name: str
    """Of its trace."""
    remarks: tuple[str, ...] = ()
    """What it cannot show, one sentence each."""


class Report(NamedTuple):
    """The outcome of a check, or of a run."""

    findings: Sequence[Finding] = ()
    """The remaining findings, in the order of `Finding.sort_key`; of a run, the worst first."""
    sources: Mapping[str, SourceText] = MappingProxyType({})
    """The text of each file with findings, by the path in their sites."""
    checked: int = 0
    """How many files were examined, including those that could not be read."""
    fixed: Mapping[str, Counter[str]] = MappingProxyType({})
    """How many findings were fixed, by path and code."""
    unsafe_fixes: bool = False
    """Whether unsafe fixes were requested."""
    closing: bool = True
    """Whether a report for people ends in a summary."""
    complete: bool = True
    """False if something could not be checked, so that the absence of findings does not mean clean."""
    below: Mapping[str, int] = MappingProxyType({})
    """How many findings are below the requested confidence, by their confidence."""
    rules: frozenset[str] | None = None
    """The codes that were on in at least one checked file; None if unknown."""
    colour: bool | None = None
    """Whether a report for people is colored; None: if the stream is a terminal with colors."""
    held: BaselineEffect | None = None
    """What the baseline did, if there is one."""
    untouched: Untouched | None = None
    """The findings that the change does not touch, if the report is about a change."""
    weighed: Weighed | None = None
    """The run with which findings were compared, if there is one; then the most expensive come first."""
    run: RunTotals | None = None
    """The totals of a run; None for a check."""

    @property
    def shown(self) -> Sequence[Finding]:
        """The findings that are shown one by one. Usual findings of a run get one line for each rule."""
        return [finding for finding in self.findings if not _is_usual(finding)]

    @property
    def usual(self) -> Sequence[Finding]:
        """Findings of a run that nearly every program has."""
        return [finding for finding in self.findings if _is_usual(finding)]

    def fixable(self, finding: Finding) -> bool:
        """Whether the requested fixes include one for the finding."""
        if finding.fix is None:
            return False
        from devlint.model import Applicability  # noqa: PLC0415  # without a finding it is not needed

        applicability = finding.fix.applicability
        return applicability is Applicability.SAFE or (
            applicability is Applicability.UNSAFE and self.unsafe_fixes
        )

    @property
    def fixed_count(self) -> int:
        """How many findings were fixed."""
        return sum(counts.total() for counts in self.fixed.values())


def _is_usual(finding: Finding) -> bool:
    return finding.observed is not None and finding.observed.usual
