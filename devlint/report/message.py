"""What a finding says, and how sure devlint is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devlint.model import Finding

_UNSURE = frozenset({"likely", "possible"})


def message(finding: Finding) -> str:
    """The message, and behind it how sure devlint is, where it is not certain: `… on cpu (likely)`."""
    level = finding.confidence.value
    return f"{finding.message} ({level})" if level in _UNSURE else finding.message
