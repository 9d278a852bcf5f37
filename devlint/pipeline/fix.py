"""Applying fixes to a text until none is left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from devlint.model import Applicability, Edit, Finding
from devlint.pipeline.check import find_all
from devlint.pipeline.document import Document
from devlint.pipeline.fixed import MAX_PASSES, Fixed, FixError
from devlint.project.own_findings import UNREADABLE

if TYPE_CHECKING:
    from devlint.source.library import Place


def fix_all(
    document: Document,
    path: str,
    on: Collection[str],
    *,
    unsafe: bool,
    place: Callable[[], Place] | None = None,
) -> Fixed:
    """Find and fix, again and again, because one fix may make another possible.

    Fixes that overlap wait for the next pass.

    Raises:
        FixError: if the text no longer parses; nothing of it may be kept then.
    """
    fixed = Fixed(document, find_all(document.text, path, on, place))
    for _ in range(MAX_PASSES):
        chosen = _compatible(fixed.findings, fixed.document.cells, unsafe=unsafe)
        if not chosen:
            return fixed
        edits = sorted({edit for finding in chosen if finding.fix for edit in finding.fix.edits})
        fixed.document = fixed.document.edited(_with_newlines(edits, fixed.document))
        fixed.counts.update(finding.code for finding in chosen)
        fixed.findings = find_all(fixed.document.text, path, on, place)
        if any(finding.code == UNREADABLE for finding in fixed.findings):
            codes = ", ".join(sorted({finding.code for finding in chosen}))
            raise FixError(f"a fix for {codes} would leave code that does not parse")
    fixed.settled = not _compatible(fixed.findings, fixed.document.cells, unsafe=unsafe)
    return fixed


def _compatible(findings: Iterable[Finding], cells: Collection[int], *, unsafe: bool) -> list[Finding]:
    """The findings whose fixes can be applied at once: none touches what another one changes."""
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
    """Whether two edits overlap, or insert at one place, where their order would matter."""
    return left.start <= right.end and right.start <= left.end


def _with_newlines(edits: Iterable[Edit], document: Document) -> list[Edit]:
    newline = document.source().lines.newline
    return [replace(edit, content=edit.content.replace("\n", newline)) for edit in edits]
