"""Conversion of findings to plain data for the cache, and back; without the path of the checked file, which
may be moved."""

from __future__ import annotations

from typing import Any

from devlint.model import Applicability, Confidence, Edit, Finding, Fix, Related, Severity, Site
from devlint.project.shape import of_type, one_of, optional, row, rows, within

_MOST_LINES = 10_000
"""The largest number of lines that a place in a finding may span."""
_number = within(0, 1 << 31)
_text = of_type(str)


def _is_path(value: object) -> bool:
    """Whether it can be the path of a file."""
    return isinstance(value, str) and "\0" not in value


def is_site(data: Any) -> bool:
    """Whether it is a result of `from_site`."""
    return _SITE(data) and data[1] <= data[3] <= data[1] + _MOST_LINES


def is_finding(data: Any) -> bool:
    """Whether it is a result of `from_finding`."""
    return _FINDING(data)


_SITE = row(*[_is_path, *[_number] * 6, _text, optional(within(1, 1 << 20))])
_RELATED = row(is_site, _text, of_type(bool))
_FIX = row(_text, one_of(*(each.value for each in Applicability)), rows(row(_number, _number, _text)))
_FINDING = row(
    _text,
    _text,
    _text,
    is_site,
    one_of(*(each.value for each in Severity)),
    rows(_RELATED),
    _text,
    optional(_FIX),
    one_of(*(each.value for each in Confidence)),
)


def from_finding(finding: Finding, path: str) -> list[Any]:
    """A finding as JSON data; `path` is that of the checked file."""
    related = [[from_site(note.site, path), note.message, note.label] for note in finding.related]
    return [
        finding.code,
        finding.name,
        finding.message,
        from_site(finding.site, path),
        finding.severity.value,
        related,
        finding.help,
        None if finding.fix is None else _from_fix(finding.fix),
        finding.confidence.value,
    ]


def to_finding(record: list[Any], path: str) -> Finding:
    """The finding of valid data, with the present path of the checked file."""
    code, name, message, site, severity, related, help_, fix, confidence = record
    return Finding(
        code,
        name,
        message,
        to_site(site, path),
        Severity(severity),
        tuple(Related(to_site(place, path), text, label) for place, text, label in related),
        help_,
        None if fix is None else _to_fix(fix),
        confidence=Confidence(confidence),
    )


def from_site(site: Site, path: str) -> list[Any]:
    """A place as JSON data."""
    places = [site.line, site.column, site.end_line, site.end_column, site.start, site.end]
    return ["" if site.path == path else site.path, *places, site.function, site.cell]


def to_site(record: list[Any], path: str) -> Site:
    """The place of valid data."""
    where, line, column, end_line, end_column, start, end, function, cell = record
    return Site(where or path, line, column, end_line, end_column, start, end, function, cell)


def _from_fix(fix: Fix) -> list[Any]:
    edits = [[edit.start, edit.end, edit.content] for edit in fix.edits]
    return [fix.message, fix.applicability.value, edits]


def _to_fix(record: list[Any]) -> Fix:
    message, applicability, edits = record
    return Fix(message, Applicability(applicability), tuple(Edit(*edit) for edit in edits))
