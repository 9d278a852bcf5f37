"""Fixing one text without files, again and again as `devlint check --fix` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from devlint.model import Finding
from devlint.pipeline.analysis.text import find_all
from devlint.pipeline.changes.change import MAX_PASSES
from devlint.pipeline.changes.fix import with_fixes
from devlint.pipeline.files.document import Document
from devlint.project.own_findings import UNREADABLE
from devlint.source.module_graph import ModuleFile


class FixError(Exception):
    """A fix whose result is no Python."""


class Fixed:
    """A document after its fixes, with what remains to be said of it."""

    def __init__(self, document: Document, findings: list[Finding]) -> None:
        self.document = document
        self.findings = findings
        self.counts: Counter[str] = Counter()
        """How many findings were fixed, by code."""
        self.settled = False
        """Whether there was nothing left to fix after the last pass."""


def fix_all(
    document: Document,
    path: str,
    on: Collection[str],
    *,
    unsafe: bool,
    place: Callable[[], ModuleFile] | None = None,
) -> Fixed:
    """Find and fix, again and again.

    Raises:
        FixError: if the text no longer parses.
    """
    fixed = Fixed(document, find_all(document.text, path, on, place))
    for _ in range(MAX_PASSES + 1):
        new, chosen = with_fixes(fixed.document, fixed.findings, unsafe=unsafe)
        if not chosen:
            fixed.settled = True
            return fixed
        fixed.document = new
        fixed.counts.update(finding.code for finding in chosen)
        fixed.findings = find_all(new.text, path, on, place)
        if any(finding.code == UNREADABLE for finding in fixed.findings):
            codes = ", ".join(sorted({finding.code for finding in chosen}))
            raise FixError(f"a fix for {codes} would leave code that does not parse")
    return fixed
