"""One line a finding."""

from __future__ import annotations

from typing import TextIO

from devlint.report.place import place, visible
from devlint.report.report import Report
from devlint.report.summary import summary


def render(report: Report, out: TextIO) -> None:
    """`train.py:31:12: DL101 [*] message`; `[*]` marks what can be fixed."""
    for finding in report.findings:
        mark = "[*] " if report.fixable(finding) else ""
        out.write(f"{place(finding.site)}: {finding.code} {mark}{visible(finding.message)}\n")
    for line in summary(report):
        out.write(f"{line}\n")
