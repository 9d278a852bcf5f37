"""Which of the findings that are sure enough are asked about.

What a baseline holds is known; what a change does not touch is not its author's business.
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
    """What a run is asked about; everything, unless something is given."""

    def __init__(
        self,
        baseline: Baseline | None = None,
        touched: Touched | None = None,
        *,
        renews: bool = False,
        evidence: Evidence | None = None,
    ) -> None:
        """With `renews`, what is found is not held against the baseline, but becomes the next one. `evidence`
        is a run against which findings are held; it leaves none out."""
        self.evidence = evidence
        self.baseline = baseline
        self.touched = touched
        self.renews = renews

    def to_change(self, outcome: FileOutcome, findings: list[Finding]) -> list[Finding]:
        """Those of a file's findings for which it is to be changed."""
        if self.baseline is None or self.renews:
            return findings
        return self.baseline.new(outcome, findings)

    def narrow(
        self, outcomes: Sequence[FileOutcome], session: CheckSession
    ) -> tuple[BaselineEffect | None, Untouched | None]:
        """Leave in the outcomes what is asked about. Says what was left out, and why."""
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
