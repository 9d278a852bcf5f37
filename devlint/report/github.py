"""Workflow commands, by which GitHub shows findings beside the changed lines.

Source: GitHub Docs, "Workflow commands for GitHub Actions". The form is Ruff's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from devlint.model.visible import visible
from devlint.report.message import details
from devlint.report.message import message as worded
from devlint.report.place import absolute, place
from devlint.report.report import Report

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Report, out: TextIO) -> None:
    """One command for each finding. For notebooks it has no lines, because GitHub does not know cells."""
    for finding in report.findings:
        site = finding.site
        file = _escape(absolute(site.path), _PROPERTY)
        properties = f"title=devlint ({finding.code}),file={file}"
        if site.cell is None:
            properties += f",line={site.line},col={site.column},endLine={site.end_line}"
            # GitHub drops annotations with columns that span several lines.
            properties += f",endColumn={site.end_column}" if site.line == site.end_line else ""
        text = f"{place(site)}: {finding.code} {worded(finding)}"
        text += "".join(f"\n  {line}" for line in details(finding))
        out.write(f"::{finding.severity.value} {properties}::{_escape(text, _DATA)}\n")


def _escape(text: str, table: Mapping[int, str]) -> str:
    """A text in which no character ends the property or the line."""
    return visible(text.translate(table))
