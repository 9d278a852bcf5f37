"""One line for each finding."""

from __future__ import annotations

from typing import TextIO

from devlint.model.visible import visible
from devlint.report.amounts import observed
from devlint.report.message import message as worded
from devlint.report.place import place
from devlint.report.report import Report
from devlint.report.summary import summary


def render(report: Report, out: TextIO) -> None:
    """`train.py:31:12: DL101 [*] message (likely)`; `[*]` marks findings with a fix."""
    for finding in report.shown:
        mark = "[*] " if report.fixable(finding) else ""
        measured = f" ({observed(finding.observed)})" if finding.observed is not None else ""
        out.write(f"{place(finding.site)}: {finding.code} {mark}{visible(worded(finding))}{measured}\n")
    for line in summary(report):
        out.write(f"{line}\n")
