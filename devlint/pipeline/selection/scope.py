"""Which findings with sufficient confidence are reported.

Findings in the baseline are not reported, nor those that a change does not touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from devlint.report.report import BaselineEffect, Untouched

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.pipeline.selection.baseline import Baseline
    from devlint.pipeline.selection.changed_lines import Touched
    from devlint.pipeline.selection.evidence import Evidence
    from devlint.pipeline.session.session import CheckSession
    from devlint.pipeline.session.task import FileOutcome


class ReportScope:
    """The scope of a check; without arguments, everything."""

    def __init__(
        self,
        baseline: Baseline | None = None,
        touched: Touched | None = None,
        *,
        renews: bool = False,
        evidence: Evidence | None = None,
    ) -> None:
        """With `renews`, the findings become the new baseline instead of being compared with it. `evidence`
        is a run with which findings are compared; it removes none."""
        self.evidence = evidence
        self.baseline = baseline
        self.touched = touched
        self.renews = renews

    def to_change(self, outcome: FileOutcome, findings: list[Finding]) -> list[Finding]:
        """The findings of a file for which to change it."""
        if self.baseline is None or self.renews:
            return findings
        return self.baseline.new(outcome, findings)

    def narrow(
        self, outcomes: Sequence[FileOutcome], session: CheckSession
    ) -> tuple[BaselineEffect | None, Untouched | None]:
        """Reduce the outcomes to the scope. Returns what was removed, and why."""
        held = self._hold(outcomes, session)
        if self.touched is None:
            return held, None
        return held, Untouched(self.touched.rev, self.touched.narrow(outcomes, session))

    def _hold(self, outcomes: Sequence[FileOutcome], session: CheckSession) -> BaselineEffect | None:
        if self.baseline is None:
            return None
        if self.renews:
            self.baseline = self.baseline.renewed(outcomes, session)
        gone = self.baseline.hold(outcomes, session)
        known = sum(outcome.known for outcome in outcomes)
        return BaselineEffect(session.name(str(self.baseline.file)), known, gone)
