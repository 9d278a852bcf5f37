"""What changing a document comes to; apart from what changes it, which a plain check need not import."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from devlint.pipeline.document import Document

if TYPE_CHECKING:
    from devlint.model import Finding

MAX_PASSES = 10
"""How often a text is fixed anew, because one fix made another one possible."""


class FixError(Exception):
    """A fix whose result is no Python. The message is for the one who has to mend the rule."""


class Fixed:
    """A document after its fixes, or as it was, with what remains to be said of it."""

    def __init__(
        self, document: Document, findings: list[Finding], counts: Counter[str] | None = None
    ) -> None:
        self.document = document
        self.findings = findings
        """What remains."""
        self.counts: Counter[str] = Counter() if counts is None else counts
        """How many findings were fixed, or newly ignored, by code."""
        self.settled = True
        """False if there was still something to fix after the last pass."""
