"""What to do with a file, and what came of it."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.report import SourceText


class Change(Enum):
    """What to do about findings besides reporting them."""

    NOTHING = "nothing"
    FIX = "fix"
    """Apply the fixes that are asked for."""
    IGNORE = "ignore"
    """Add a suppression for each."""


class Task(NamedTuple):
    """What to do with a file."""

    change: Change = Change.NOTHING
    unsafe: bool = False
    """Whether unsafe fixes are asked for."""
    write: bool = True
    """Whether what changes is written to the file."""


class Outcome:
    """What came of one file."""

    def __init__(self, path: str, findings: list[Finding] | None = None) -> None:
        self.path = path
        """As reports name it."""
        self.findings: list[Finding] = [] if findings is None else findings
        self.source: SourceText | None = None
        self.changed: Counter[str] = Counter()
        """How many findings were fixed, or newly ignored, by code."""
        self.before = ""
        self.after = ""
        """The text before and after changes."""
        self.failure = ""
        """What went wrong in devlint or in writing, in one line; empty if nothing did."""
        self.trace = ""
        """The traceback that belongs to the failure, if it is devlint's own."""
