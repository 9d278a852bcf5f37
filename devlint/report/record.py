"""A finding as data, with Ruff's field names and further ones."""

from __future__ import annotations

from typing import Any

from devlint.model import Edit, Finding, Fix, Site
from devlint.report.place import absolute
from devlint.report.report import Report
from devlint.report.sources import SourceText
from devlint.rules import registry


def record(finding: Finding, report: Report) -> dict[str, Any]:
    """One finding. Paths are absolute; rows and columns count from 1, columns in characters."""
    source = report.sources.get(finding.site.path, SourceText(""))
    observed = finding.observed
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "help": finding.help or None,
        "url": registry.url(finding.code),
        **_span(finding.site),
        "function": finding.site.function or None,
        "fix": None if finding.fix is None else _fix(finding.fix, source),
        "related": [{"message": related.message, **_span(related.site)} for related in finding.related],
        "observed": None
        if observed is None
        else {
            "count": observed.count,
            "seconds": observed.seconds,
            "bytes": observed.bytes,
            "estimated": observed.estimated,
            "ranks": [
                {"rank": rank, "count": found.count, "seconds": found.seconds, "bytes": found.bytes}
                for rank, found in observed.ranks
            ],
        },
        "in_run": None if finding.in_run is None else finding.in_run.name.lower(),
    }


def _span(site: Site) -> dict[str, Any]:
    return {
        "filename": absolute(site.path),
        "cell": site.cell,
        "location": {"row": site.line, "column": site.column},
        "end_location": {"row": site.end_line, "column": site.end_column},
    }


def _fix(fix: Fix, source: SourceText) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": [_edit(edit, source) for edit in fix.edits],
    }


def _edit(edit: Edit, source: SourceText) -> dict[str, Any]:
    (cell, line, column), (_, end_line, end_column) = source.ends(edit)
    return {
        "content": edit.content,
        "cell": cell,
        "location": {"row": line, "column": column},
        "end_location": {"row": end_line, "column": end_column},
    }
