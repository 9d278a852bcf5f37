"""Findings with their source lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from devlint.report.report import Report
from devlint.report.sources import SourceText
from devlint.report.summary import summary

if TYPE_CHECKING:
    from devlint.report.frame import Line, Span

STYLES = {
    "place": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "gutter": "cyan",
    "mark": "bold red",
    "note": "blue",
    "help": "bold cyan",
}


def render(report: Report, out: TextIO) -> None:
    """Each finding with its frame; colored if the stream supports it."""
    if not report.shown:  # nothing to frame or color
        out.writelines(f"{text}\n" for text in summary(report))
        return
    write_lines(_lines(report), out, report.colour)


def _lines(report: Report) -> Iterator[Line]:
    from devlint.report.frame import Span, frame  # noqa: PLC0415

    for finding in report.shown:
        source = report.sources.get(finding.site.path, SourceText(""))
        yield from frame(finding, source, fixable=report.fixable(finding))
        yield ()
    for text in summary(report):
        yield (Span(text),)


def write_lines(lines: Iterable[Line], out: TextIO, colour: bool | None = None) -> None:
    """Write styled lines; colored if the stream supports it, unless `colour` decides."""
    if not (_wants_colour(out) if colour is None else colour):
        for line in lines:
            out.write("".join(span.text for span in line).rstrip() + "\n")
        return
    from rich.console import Console  # noqa: PLC0415  # only colours need it
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=out, force_terminal=True, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((span.text, _style(span)) for span in line)))


def _style(span: Span) -> str:
    style = STYLES.get(span.style, "")
    return style if span.link is None else f"{style} link {span.link}"


def _wants_colour(out: TextIO) -> bool:
    """Follow https://no-color.org and https://force-color.org; NO_COLOR takes precedence."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return out.isatty() and os.environ.get("TERM") != "dumb"
