"""What a finding says, and how sure devlint is of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devlint.report.amounts import observed

if TYPE_CHECKING:
    from devlint.model import Finding

_UNSURE = frozenset({"likely", "possible"})


def message(finding: Finding) -> str:
    """The message, and behind it how sure devlint is, where it is not certain, and what a run says of it:
    `… on cpu (likely, not reached in the run)`."""
    level = finding.confidence.value
    more = [level] if level in _UNSURE else []
    if finding.in_run is not None:
        more.append(finding.in_run.value)
    return f"{finding.message} ({', '.join(more)})" if more else finding.message


def details(finding: Finding) -> Iterator[str]:
    """What is to be said besides, a line each: what a run has measured, and the way out."""
    if finding.observed is not None:
        yield f"observed: {observed(finding.observed)}"
    if finding.help:
        yield f"help: {finding.help}"
