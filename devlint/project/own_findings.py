"""Findings about the check itself, which do not come from events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devlint.rules import registry

if TYPE_CHECKING:
    from devlint.model import Finding, Fix, Site

UNREADABLE = "DL900"
UNUSED_SUPPRESSION = "DL901"


def own_finding(code: str, message: str, site: Site, help: str = "", fix: Fix | None = None) -> Finding:  # noqa: A002
    """A finding with one of these codes.

    Raises: LookupError: if the code has no rule.
    """
    from devlint.model import Finding  # noqa: PLC0415  # most files have none

    rule = registry.rule(code)
    if rule is None:
        raise LookupError(f"there is no rule {code}")
    return Finding(code, rule.name, message, site, rule.severity, help=help, fix=fix)


def unreadable(path: str, why: str, line: int = 1, column: int = 1) -> Finding:
    """The finding for a file that could not be read or parsed, so that it never counts as clean."""
    from devlint.model import Site  # noqa: PLC0415  # most files have no finding

    site = Site(path, line, column, line, column)
    return own_finding(UNREADABLE, f"the file could not be checked: {why}", site)
