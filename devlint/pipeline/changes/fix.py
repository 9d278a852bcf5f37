"""Applying the fixes of findings to a text, as many as are compatible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from devlint.model import Applicability, Edit, Finding
from devlint.pipeline.files.document import Document


def with_fixes(
    document: Document, findings: Iterable[Finding], *, unsafe: bool
) -> tuple[Document, list[Finding]]:
    """The document with fixes applied, and the fixed findings.

    Fixes that overlap wait for the next pass.
    """
    chosen = _compatible(findings, document.cells, unsafe=unsafe)
    edits = sorted({edit for finding in chosen if finding.fix for edit in finding.fix.edits})
    return document.edited(_with_newlines(edits, document)), chosen


def _compatible(findings: Iterable[Finding], cells: tuple[int, ...], *, unsafe: bool) -> list[Finding]:
    """The findings whose fixes can be applied together, because their edits do not overlap."""
    wanted = {Applicability.SAFE, Applicability.UNSAFE} if unsafe else {Applicability.SAFE}
    chosen: list[Finding] = []
    taken: list[Edit] = []
    for finding in findings:
        if finding.fix is None or finding.fix.applicability not in wanted or not finding.fix.edits:
            continue
        edits = finding.fix.edits
        if any(edit.start < cell < edit.end for edit in edits for cell in cells):
            continue
        if any(_touch(edit, other) for edit in edits for other in taken):
            continue
        chosen.append(finding)
        taken += edits
    return chosen


def _touch(left: Edit, right: Edit) -> bool:
    """Whether two edits overlap, or insert text at one place, so that their order matters."""
    return left.start <= right.end and right.start <= left.end


def _with_newlines(edits: Iterable[Edit], document: Document) -> list[Edit]:
    newline = document.source().lines.newline
    return [replace(edit, content=edit.content.replace("\n", newline)) for edit in edits]
