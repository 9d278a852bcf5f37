"""Workflow commands by which GitHub shows findings beside the changed lines.

Source: GitHub Docs, "Workflow commands for GitHub Actions". Ruff's shape.
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
    """One command a finding; a cell's line numbers mean nothing to GitHub, so a notebook's are left out."""
    for finding in report.findings:
        site = finding.site
        file = _escape(absolute(site.path), _PROPERTY)
        properties = f"title=devlint ({finding.code}),file={file}"
        if site.cell is None:
            properties += f",line={site.line},col={site.column},endLine={site.end_line}"
            # Columns of a span of several lines make GitHub drop the annotation.
            properties += f",endColumn={site.end_column}" if site.line == site.end_line else ""
        text = f"{place(site)}: {finding.code} {worded(finding)}"
        text += "".join(f"\n  {line}" for line in details(finding))
        out.write(f"::{finding.severity.value} {properties}::{_escape(text, _DATA)}\n")


def _escape(text: str, table: Mapping[int, str]) -> str:
    """A text that ends neither its property nor its line, and stays plain."""
    return visible(text.translate(table))
