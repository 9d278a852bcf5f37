"""Logging commands by which Azure Pipelines lists findings as issues of a build.

Source: Azure DevOps documentation, "Logging commands", LogIssue and its escapes.
"""

from __future__ import annotations

from typing import TextIO

from devlint.model.visible import visible
from devlint.report.message import details
from devlint.report.message import message as worded
from devlint.report.place import absolute, cell_of
from devlint.report.report import Report

_ESCAPES = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A", "]": "%5D", ";": "%3B"})


def render(report: Report, out: TextIO) -> None:
    """One command for each finding. For notebooks it names only the file, because Azure does not know
    cells."""
    for finding in report.findings:
        site = finding.site
        properties = [f"type={finding.severity.value}", f"sourcepath={_escape(absolute(site.path))}"]
        if site.cell is None:
            properties += [f"linenumber={site.line}", f"columnnumber={site.column}"]
        properties.append(f"code={finding.code}")
        text = "\n".join((cell_of(site) + worded(finding), *details(finding)))
        out.write(f"##vso[task.logissue {';'.join(properties)}]{_escape(text)}\n")


def _escape(text: str) -> str:
    """A text in which no character ends the property, the command or the line."""
    return visible(text.translate(_ESCAPES))
