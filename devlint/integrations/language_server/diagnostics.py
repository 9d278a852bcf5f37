"""Findings as diagnostics of editors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from devlint.integrations.language_server.positions import Positions
from devlint.model import Finding, Severity, Site
from devlint.report.message import message
from devlint.rules import registry

SOURCE = "devlint"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}


def diagnostic(
    finding: Finding, positions: Positions, there: Callable[[Site], types.Location]
) -> types.Diagnostic:
    """A finding, with the places that led to it; `there` returns the location of a related site."""
    url = registry.url(finding.code)
    return types.Diagnostic(
        range=positions.of_site(finding.site),
        message=f"{message(finding)}\n{finding.help}" if finding.help else message(finding),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=None if url is None else types.CodeDescription(url),
        source=SOURCE,
        related_information=[
            types.DiagnosticRelatedInformation(there(each.site), each.message) for each in finding.related
        ],
    )


def uri_of(site: Site, directory: Path) -> str:
    """The URI of a site's file."""
    return from_fs_path(str(directory / site.path)) or ""
