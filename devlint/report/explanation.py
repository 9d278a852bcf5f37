"""The explanation of an error: what happened, where, to which operand, and the remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

from devlint.model import Confidence, Finding
from devlint.model.visible import visible
from devlint.report.frame import Line, Span, frame
from devlint.report.full import write_lines
from devlint.report.sources import SourceText

LONGEST = 200
"""The most characters of an error's text that are quoted."""


class Explanation(NamedTuple):
    """The explanation of one error. Unknown parts are empty."""

    error: str
    """Its type and text, as pasted."""
    says: str
    code: str = ""
    """The rule that reports it."""
    where: str = ""
    fault: str = ""
    """The operand on the wrong device."""
    help: str = ""
    labels: tuple[str, ...] = ()
    """The processes that raised it."""
    origins: tuple[str, ...] = ()
    """Where the operands are and how they got there, one line each."""
    findings: tuple[tuple[Finding, SourceText], ...] = ()
    """The findings of `devlint check` at the place."""
    remarks: tuple[str, ...] = ()


def render(explanations: Iterable[Explanation], out: TextIO) -> None:
    """Each explanation, with an empty line between two; colored if the stream supports it."""
    lines: list[Line] = []
    for each in explanations:
        if lines:
            lines.append(())
        lines += _lines(each)
    write_lines(lines, out)


def _lines(explanation: Explanation) -> Iterator[Line]:
    yield (Span(_cut(explanation.error), "place"),)
    if explanation.labels:
        yield _said("in", ", ".join(explanation.labels))
    yield _said("what happened", explanation.says)
    yield from (
        _said(name, text)
        for name, text in (("where", explanation.where), ("at fault", explanation.fault))
        if text
    )
    for number, origin in enumerate(explanation.origins):
        yield _said("" if number else "origins", origin)
    for remark in explanation.remarks:
        yield _said("note", remark)
    # A finding at the place itself has the better advice.
    if explanation.help and not any(finding.help for finding, _ in explanation.findings):
        yield _said("help", explanation.help)
    if explanation.code:
        yield _said("more", f"`devlint rule {explanation.code}`")
    for finding, source in explanation.findings:
        yield ()
        yield from frame(finding, source, fixable=False)
        if finding.confidence is Confidence.POSSIBLE:
            yield (Span(" (a finding that is possible; `devlint check` shows likely ones)"),)


def _said(name: str, text: str) -> Line:
    return (Span(f"  {name + ':' if name else '':<14} ", "help"), Span(visible(text)))


def _cut(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
