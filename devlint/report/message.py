"""The text of a finding, with its confidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devlint.report.amounts import observed

if TYPE_CHECKING:
    from devlint.model import Finding

_UNSURE = frozenset({"likely", "possible"})


def message(finding: Finding) -> str:
    """The message, followed by the confidence unless it is certain, and by the verdict of a run: `… on cpu
    (likely, not reached in the run)`."""
    level = finding.confidence.value
    more = [level] if level in _UNSURE else []
    if finding.in_run is not None:
        more.append(finding.in_run.value)
    return f"{finding.message} ({', '.join(more)})" if more else finding.message


def details(finding: Finding) -> Iterator[str]:
    """Further lines: what a run measured, and the remedy."""
    if finding.observed is not None:
        yield f"observed: {observed(finding.observed)}"
    if finding.help:
        yield f"help: {finding.help}"
