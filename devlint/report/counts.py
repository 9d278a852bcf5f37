"""The number of findings of each rule: `--statistics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TextIO

from devlint.report.json_text import json_text
from devlint.report.report import Report
from devlint.report.summary import summary


@dataclass(slots=True)
class Count:
    """One rule's row."""

    code: str
    name: str
    count: int = 0
    fixable_count: int = 0


def render(report: Report, out: TextIO, *, as_json: bool) -> None:
    """A table with the most frequent rule first, or the same as JSON with Ruff's field names."""
    rows = _count(report)
    if as_json:
        out.write(json_text([_record(row) for row in rows], indent=2) + "\n")
        return
    width = max((len(str(row.count)) for row in rows), default=0)
    for row in rows:
        out.write(f"{row.count:>{width}}\t{row.code}\t[{_mark(row)}] {row.name}\n")
    for line in summary(report):
        out.write(f"{line}\n")


def _count(report: Report) -> list[Count]:
    rows: dict[str, Count] = {}
    for finding in report.findings:
        row = rows.setdefault(finding.code, Count(finding.code, finding.name))
        row.count += 1
        row.fixable_count += report.fixable(finding)
    return sorted(rows.values(), key=lambda row: (-row.count, row.code))


def _mark(row: Count) -> str:
    if not row.fixable_count:
        return " "
    return "*" if row.fixable_count == row.count else "-"


def _record(row: Count) -> dict[str, object]:
    return {
        "code": row.code,
        "name": row.name,
        "count": row.count,
        "fixable": row.fixable_count == row.count,
        "fixable_count": row.fixable_count,
    }
