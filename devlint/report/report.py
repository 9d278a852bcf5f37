"""What a check or a run has come to: everything that a format may show."""

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
    """How many findings are not shown because it holds them."""
    gone: int
    """How many it holds that are no longer there."""


class Untouched(NamedTuple):
    """What was left out because a change does not touch it."""

    rev: str
    """What the change is counted from."""
    hidden: int
    """How many findings."""


class Weighed(NamedTuple):
    """The run against which the findings of a check were held."""

    name: str
    """Of its trace."""
    remarks: tuple[str, ...] = ()
    """What it cannot say, a sentence each."""


class Report(NamedTuple):
    """The outcome of a check, or of a run."""

    findings: Sequence[Finding] = ()
    """What remains, in the order of `Finding.sort_key`; of a run, worst first."""
    sources: Mapping[str, SourceText] = MappingProxyType({})
    """The text of each file with findings, by the path that their sites name."""
    checked: int = 0
    """How many files were looked at, whether or not they could be read."""
    fixed: Mapping[str, Counter[str]] = MappingProxyType({})
    """How many findings were fixed, by path and code."""
    unsafe_fixes: bool = False
    """Whether unsafe fixes were asked for."""
    closing: bool = True
    """Whether a report for people ends in a summary."""
    complete: bool = True
    """False if something that should have been checked was not, so that no findings does not mean clean."""
    below: Mapping[str, int] = MappingProxyType({})
    """How many findings are less sure than what was asked for, by their confidence."""
    rules: frozenset[str] | None = None
    """The codes that were on in at least one of the files that were checked; None where nobody says."""
    colour: bool | None = None
    """Whether a report for people is coloured; None: if the stream is a terminal that shows colours."""
    held: BaselineEffect | None = None
    """What the baseline did, if there is one."""
    untouched: Untouched | None = None
    """What was left out of a change's report, if it is one."""
    weighed: Weighed | None = None
    """The run against which findings were held, if there is one; then the most expensive come first."""
    run: RunTotals | None = None
    """What a run was seen to do; None for a check."""

    @property
    def shown(self) -> Sequence[Finding]:
        """What people are shown one by one; of a run, what is usual is said in one line for each rule."""
        return [finding for finding in self.findings if not _is_usual(finding)]

    @property
    def usual(self) -> Sequence[Finding]:
        """What a run has found that nearly every program does."""
        return [finding for finding in self.findings if _is_usual(finding)]

    def fixable(self, finding: Finding) -> bool:
        """Whether the fixes that were asked for include one for the finding."""
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
