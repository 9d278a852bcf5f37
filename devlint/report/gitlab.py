"""A report for GitLab's Code Quality.

Source: GitLab Docs, "Code Quality", report format.
"""

from __future__ import annotations

from typing import Any, TextIO

from devlint.model import Finding, Severity
from devlint.model.visible import visible
from devlint.report.fingerprint import digests
from devlint.report.json_text import json_text
from devlint.report.message import message as worded
from devlint.report.place import cell_of, relative
from devlint.report.report import Report

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor"}


def render(report: Report, out: TextIO) -> None:
    """An array of violations. Paths are relative to the working directory; GitLab requires paths in the
    repository."""
    pairs = zip(report.findings, digests(report), strict=True)
    out.write(json_text([_violation(finding, digest) for finding, digest in pairs], indent=2) + "\n")


def _violation(finding: Finding, digest: str) -> dict[str, Any]:
    site = finding.site
    lines = {"begin": site.line, "end": site.end_line} if site.cell is None else {"begin": 1}
    return {
        "description": visible(f"{finding.code} {cell_of(site)}{worded(finding)}"),
        "check_name": finding.code,
        "fingerprint": digest,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": relative(site.path), "lines": lines},
    }
