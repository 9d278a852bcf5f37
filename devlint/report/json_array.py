"""All findings as one JSON array."""

from __future__ import annotations

import json
from typing import TextIO

from devlint.report.record import record
from devlint.report.report import Report


def render(report: Report, out: TextIO) -> None:
    """An array of records, see `record`."""
    json.dump([record(finding, report) for finding in report.findings], out, indent=2)
    out.write("\n")
