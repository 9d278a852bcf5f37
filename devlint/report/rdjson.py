"""The Reviewdog Diagnostic Format, as one JSON object.

Source: reviewdog, `proto/rdf/reviewdog.proto`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from devlint.model import Applicability, Finding, Related, Site
from devlint.model.visible import visible
from devlint.report.json_text import json_text
from devlint.report.message import details
from devlint.report.message import message as worded
from devlint.report.place import cell_of, relative
from devlint.report.report import Report
from devlint.report.sources import SourceText
from devlint.rules import registry


def render(report: Report, out: TextIO) -> None:
    """A `DiagnosticResult`."""
    result = {
        "source": {"name": "devlint", **_link(registry.HOME)},
        "diagnostics": [_diagnostic(finding, report) for finding in report.findings],
    }
    out.write(json_text(result, indent=2) + "\n")


def _diagnostic(finding: Finding, report: Report) -> dict[str, Any]:
    text = "\n".join(map(visible, (cell_of(finding.site) + worded(finding), *details(finding))))
    return {
        "message": text,
        "location": _location(finding.site, report),
        "severity": finding.severity.value.upper(),
        "code": {"value": finding.code, **_link(registry.url(finding.code))},
        "suggestions": list(_suggestions(finding, report)),
        "related_locations": [_related(each, report) for each in finding.related],
    }


def _link(url: str | None) -> dict[str, str]:
    return {} if url is None else {"url": url}


def _related(related: Related, report: Report) -> dict[str, Any]:
    text = visible(cell_of(related.site) + related.message)
    return {"message": text, "location": _location(related.site, report)}


def _location(site: Site, report: Report) -> dict[str, Any]:
    """The place, with columns in bytes; only lines if the text is not known."""
    location: dict[str, Any] = {"path": relative(site.path)}
    source = report.sources.get(site.path)
    if site.cell is not None:
        return location
    if source is None or not source.text:
        return {**location, "range": {"start": {"line": site.line}, "end": {"line": site.end_line}}}
    start = _position(site.line, site.column, source)
    return {**location, "range": {"start": start, "end": _position(site.end_line, site.end_column, source)}}


def _suggestions(finding: Finding, report: Report) -> Iterator[dict[str, Any]]:
    """The fix, if it may be applied and is a single edit, because a reader would apply one of several edits
    alone."""
    source = report.sources.get(finding.site.path)
    fix = finding.fix
    if source is None or fix is None or fix.applicability is Applicability.DISPLAY or len(fix.edits) != 1:
        return
    (edit,) = fix.edits
    (cell, line, column), (_, end_line, end_column) = source.ends(edit)
    if cell is None:
        start = _position(line, column, source)
        yield {
            "range": {"start": start, "end": _position(end_line, end_column, source)},
            "text": edit.content,
        }


def _position(line: int, column: int, source: SourceText) -> dict[str, int]:
    before = source.line(line)[: column - 1]
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
