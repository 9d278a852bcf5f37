"""Findings as plain data for the cache, and back. Without the path of their file, which may be moved."""

from __future__ import annotations

from typing import Any

from devlint.model import Applicability, Edit, Finding, Fix, Related, Severity, Site


def to_data(findings: list[Finding]) -> list[Any]:
    """Findings in one file as JSON can hold them."""
    return [_from_finding(finding) for finding in findings]


def from_data(data: list[Any], path: str) -> list[Finding]:
    """The findings again, in the file that goes by this path now.

    Raises:
        ValueError, TypeError, LookupError: it is no such data.
    """
    return [_to_finding(record, path) for record in data]


def _from_finding(finding: Finding) -> list[Any]:
    related = [[_from_site(note.site), note.message, note.label] for note in finding.related]
    return [
        finding.code,
        finding.name,
        finding.message,
        _from_site(finding.site),
        finding.severity.value,
        related,
        finding.help,
        None if finding.fix is None else _from_fix(finding.fix),
    ]


def _to_finding(record: list[Any], path: str) -> Finding:
    code, name, message, site, severity, related, help_, fix = record
    return Finding(
        code,
        name,
        message,
        _to_site(site, path),
        Severity(severity),
        tuple(Related(_to_site(place, path), text, label) for place, text, label in related),
        help_,
        None if fix is None else _to_fix(fix),
    )


def _from_site(site: Site) -> list[Any]:
    places = [site.line, site.column, site.end_line, site.end_column, site.start, site.end]
    return [*places, site.function, site.cell]


def _to_site(record: list[Any], path: str) -> Site:
    line, column, end_line, end_column, start, end, function, cell = record
    return Site(path, line, column, end_line, end_column, start, end, function, cell)


def _from_fix(fix: Fix) -> list[Any]:
    edits = [[edit.start, edit.end, edit.content] for edit in fix.edits]
    return [fix.message, fix.applicability.value, edits]


def _to_fix(record: list[Any]) -> Fix:
    message, applicability, edits = record
    return Fix(message, Applicability(applicability), tuple(Edit(*edit) for edit in edits))
