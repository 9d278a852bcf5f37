"""All findings as one JSON array."""

from __future__ import annotations

from typing import TextIO

from devlint.report.json_text import json_text
from devlint.report.record import record
from devlint.report.report import Report


def render(report: Report, out: TextIO) -> None:
    """An array of records, see `record`."""
    out.write(json_text([record(finding, report) for finding in report.findings], indent=2) + "\n")
