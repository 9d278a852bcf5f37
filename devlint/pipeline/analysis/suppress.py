"""Suppressing the findings of a file by its comments, and findings about these comments."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from devlint.project.marks import may_suppress, names_devlint
from devlint.project.own_findings import UNREADABLE, UNUSED_SUPPRESSION

if TYPE_CHECKING:
    from devlint.model import Finding


def unsuppressed(
    found: list[Finding],
    text: str,
    path: str,
    on: Collection[str],
    *,
    unused: bool = True,
    noqa: bool = True,
) -> list[Finding]:
    """The findings that no comment suppresses, in order, with those about `unused` suppressions.

    `noqa` says whether `# noqa` suppresses, too.
    """
    if not may_suppress(text, has_findings=bool(found)):
        return found
    from devlint.project.suppression import find, skips_file  # noqa: PLC0415  # most texts suppress nothing

    if any(finding.code == UNREADABLE for finding in found):
        return found
    if names_devlint(text) and skips_file(text):
        return []
    suppressions = find(text, has_findings=bool(found))
    if suppressions is None:
        return found
    kept = suppressions.filter(found, noqa=noqa)
    if unused and UNUSED_SUPPRESSION in on:
        kept += suppressions.unused(path, on)
    return sorted(kept, key=lambda finding: finding.sort_key)
