"""What a check has come to: everything that a format may show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from devlint.model import Applicability, Finding
from devlint.report.sources import SourceText


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a check."""

    findings: Sequence[Finding] = ()
    """What remains, in the order of `Finding.sort_key`."""
    sources: Mapping[str, SourceText] = field(default_factory=dict)
    """The text of each file with findings, by the path that their sites name."""
    checked: int = 0
    """How many files were looked at, whether or not they could be read."""
    fixed: Mapping[str, Counter[str]] = field(default_factory=dict)
    """How many findings were fixed, by path and code."""
    unsafe_fixes: bool = False
    """Whether unsafe fixes were asked for."""
    closing: bool = True
    """Whether a report for people ends in a summary."""
    complete: bool = True
    """False if something that should have been checked was not, so that no findings does not mean clean."""

    def fixable(self, finding: Finding) -> bool:
        """Whether the fixes that were asked for include one for the finding."""
        if finding.fix is None:
            return False
        applicability = finding.fix.applicability
        return applicability is Applicability.SAFE or (
            applicability is Applicability.UNSAFE and self.unsafe_fixes
        )

    @property
    def fixed_count(self) -> int:
        """How many findings were fixed."""
        return sum(counts.total() for counts in self.fixed.values())
