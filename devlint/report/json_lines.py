"""One JSON object per line, one line for each finding."""

from __future__ import annotations

from typing import TextIO

from devlint.report.json_text import json_text
from devlint.report.record import record
from devlint.report.report import Report


def render(report: Report, out: TextIO) -> None:
    """One record per line, see `record`."""
    for finding in report.findings:
        out.write(json_text(record(finding, report)) + "\n")
