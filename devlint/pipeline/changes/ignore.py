"""Adding suppressions for existing findings, so that a project can start with a clean report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from devlint.model import Edit, Finding
from devlint.model.lines import Lines
from devlint.pipeline.files.document import Document
from devlint.project.comments import CommentLayout, lay_out
from devlint.project.own_findings import UNREADABLE, UNUSED_SUPPRESSION
from devlint.project.suppression import Directive, SuppressionKind, Suppressions, find

_NOT_IGNORED = frozenset({UNREADABLE, UNUSED_SUPPRESSION})


def with_ignores(document: Document, findings: Iterable[Finding]) -> tuple[Document, list[Finding]]:
    """The document with `# devlint: ignore[CODE]` at the end of each line with findings, and these findings.

    Codes are added to an existing suppression.
    """
    chosen = [finding for finding in findings if finding.code not in _NOT_IGNORED]
    lines = Lines(document.text)
    suppressions = find(document.text, has_findings=True) or Suppressions(lines, lay_out(lines))
    codes: defaultdict[int, set[str]] = defaultdict(set)
    for finding in chosen:
        codes[_comment_line(finding.site.line, suppressions.layout)].add(finding.code)
    edits = sorted(_edit(line, found, lines, suppressions) for line, found in codes.items())
    return document.edited(edits), chosen


def _comment_line(line: int, layout: CommentLayout) -> int:
    """The line for the comment of a finding: its own, or the last one of its statement."""
    return layout.logical_line(line)[1] if line in layout.open else line


def _edit(line: int, codes: set[str], lines: Lines, suppressions: Suppressions) -> Edit:
    present = next((d for d in suppressions.directives if _takes_codes(d, line)), None)
    if present is not None:
        merged = ", ".join([*present.codes, *sorted(codes.difference(present.codes))])
        return Edit(present.codes_start, present.codes_end, merged)
    text = lines.text(line)
    start = lines.start(line)
    return Edit(
        start + len(text.rstrip()), start + len(text), f"  # devlint: ignore[{', '.join(sorted(codes))}]"
    )


def _takes_codes(directive: Directive, line: int) -> bool:
    return (
        directive.kind is SuppressionKind.IGNORE and directive.comment.line == line and bool(directive.codes)
    )
