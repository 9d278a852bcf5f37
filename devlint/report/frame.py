"""The source frame of a finding: its lines with marks under them, as styled spans of text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from devlint.model import Finding, Related, Site
from devlint.model.value import value
from devlint.model.visible import visible
from devlint.report.amounts import observed
from devlint.report.message import message as worded
from devlint.report.place import place
from devlint.report.sources import SourceText
from devlint.rules import registry

MAX_WIDTH = 120
"""A source line longer than this is shown in part, in characters."""
_BEFORE = 40
"""How many characters of a long line are shown before the mark."""
_CUT = "..."
_WIDE = re.compile(r"[^\x20-\x7e]")


@value
class Span:
    """A span of text and its style: `place`, `error`, `warning`, `gutter`, `mark`, `note`, `help` or none."""

    text: str
    style: str = ""
    link: str | None = None
    """The URL to which a terminal links the text."""


Line: TypeAlias = tuple[Span, ...]


@value
class _Mark:
    """A part of one line to underline, in characters from 0, and its label."""

    start: int
    end: int
    label: str


def frame(finding: Finding, source: SourceText, *, fixable: bool) -> Iterator[Line]:
    """All lines for one finding."""
    mark = " [*]" if fixable else ""
    yield (
        Span(place(finding.site), "place"),
        Span(": "),
        Span(finding.code, finding.severity.value, registry.url(finding.code)),
        Span(f"{mark} {visible(worded(finding))}"),
    )
    marked = _marked_lines(finding, source)
    notes = [related for related in finding.related if not _is_labelled(related, finding.site)]
    numbers = [*marked, *(related.site.line for related in notes)]
    width = len(str(max(numbers, default=0)))
    if marked:
        yield _gutter("", width)
        yield from _source_lines(marked, width, finding.site, source)
    if notes:
        yield _gutter("", width)
        yield from _note_lines(notes, width, finding.site, source)
    if finding.observed is not None:
        yield _remark("observed", observed(finding.observed), width)
    if finding.help:
        yield _remark("help", finding.help, width)


def _remark(kind: str, text: str, width: int) -> Line:
    return (Span(f"{'':{width}} = ", "gutter"), Span(f"{kind}: ", "help"), Span(visible(text)))


def _is_labelled(related: Related, site: Site) -> bool:
    return related.label and (related.site.path, related.site.cell) == (site.path, site.cell)


def _marked_lines(finding: Finding, source: SourceText) -> dict[int, list[_Mark]]:
    """The lines of the frame by number, with their marks. Without labels, the primary site is marked."""
    sites = [
        (related.site, related.message) for related in finding.related if _is_labelled(related, finding.site)
    ]
    if not any(site.line == finding.site.line for site, _ in sites):
        sites.insert(0, (finding.site, ""))
    lines: dict[int, list[_Mark]] = {}
    for site, label in sites:
        text = source.line(site.line, site.cell)
        if not text and not source.text:
            continue
        end = site.end_column - 1 if site.end_line == site.line else len(text)
        start = site.column - 1
        lines.setdefault(site.line, []).append(_Mark(start, max(end, start + 1), label))
    return dict(sorted(lines.items()))


def _source_lines(
    marked: dict[int, list[_Mark]], width: int, site: Site, source: SourceText
) -> Iterator[Line]:
    previous = None
    for number, marks in marked.items():
        if previous is not None and number > previous + 1:
            yield (Span("...", "gutter"),)
        previous = number
        text, left = _window(source.line(number, site.cell), marks[0].start)
        yield (*_gutter(str(number), width), Span(f" {_printable(text)}"))
        for row in _rows([_shift(mark, text, left) for mark in marks]):
            yield (*_gutter("", width), *_underline(row))


def _note_lines(notes: Iterable[Related], width: int, site: Site, source: SourceText) -> Iterator[Line]:
    shown: list[tuple[str, str, str]] = []
    for related in notes:
        here = (related.site.path, related.site.cell) == (site.path, site.cell)
        text = source.line(related.site.line, related.site.cell) if here else place(related.site)
        text, _ = _window(text, related.site.column - 1 if here else 0)
        shown.append((str(related.site.line) if here else "", _printable(text), visible(related.message)))
    column = min(max(_cells(text) for _, text, _ in shown), MAX_WIDTH // 2)
    for number, text, message in shown:
        padding = " " * max(column - _cells(text), 0)
        yield (*_gutter(number, width), Span(f" {text}{padding}   "), Span(message, "note"))


def _gutter(number: str, width: int) -> Line:
    return (Span(f"{number:>{width}} |", "gutter"),)


def _window(text: str, around: int) -> tuple[str, int]:
    """The part of a long line around a character, and the number of characters before that part."""
    if len(text) <= MAX_WIDTH:
        return text, 0
    left = max(around - _BEFORE, 0)
    part = text[left : left + MAX_WIDTH]
    if left:
        part = _CUT + part[len(_CUT) :]
    if left + MAX_WIDTH < len(text):
        part = part[: -len(_CUT)] + _CUT
    return part, left


def _shift(mark: _Mark, text: str, left: int) -> _Mark:
    """The mark in terminal cells of the text that is shown."""
    start = min(max(mark.start - left, 0), len(text))
    end = min(max(mark.end - left, start), len(text))
    before = _cells(_printable(text[:start]))
    return _Mark(before, before + max(_cells(_printable(text[start:end])), 1), mark.label)


def _rows(marks: list[_Mark]) -> list[list[_Mark]]:
    """The rows of marks: those that do not overlap share a row."""
    rows: list[list[_Mark]] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        for row in rows:
            last = row[-1]
            if last.end + (len(last.label) + 2 if last.label else 1) <= mark.start:
                row.append(mark)
                break
        else:
            rows.append([mark])
    return rows


def _underline(row: list[_Mark]) -> Iterator[Span]:
    at = -1
    for mark in row:
        yield Span(" " * (mark.start - at))
        yield Span("^" * (mark.end - mark.start), "mark")
        at = mark.end
        if mark.label:
            label = f" {visible(mark.label)}"
            yield Span(label, "mark")
            at += _cells(label)


def _printable(text: str) -> str:
    return visible(text.expandtabs(4))


def _cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if not _WIDE.search(text):
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  # only text beyond ASCII needs it

    return cell_len(text)
