"""Resolving sites and edits: the only step that needs positions, taken only for files with findings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence

import libcst as cst

from devlint.model import Edit, EditRequest, Site, SiteId
from devlint.source.edits import work_out
from devlint.source.misread import MisreadError
from devlint.source.positions.align import Alignment
from devlint.source.positions.layout import Layout, anchors
from devlint.source.positions.spans import Measured, Span, measure
from devlint.source.unreadable import UnreadableSource

_NEWLINE = re.compile(r"\r\n?|\n")


class Located:
    """The sites and edits that were asked for."""

    def __init__(
        self, path: str, nodes: Sequence[cst.CSTNode], text: str, spans: dict[int, Span], *, exact: bool
    ) -> None:
        self._path = path
        self._nodes = nodes
        self._text = text
        self._spans = spans
        self._exact = exact
        self._lines = [0, *(newline.end() for newline in _NEWLINE.finditer(text))]

    def site(self, number: SiteId) -> Site:
        """The place of a site; an expression's is without its own parentheses.

        Raises:
            KeyError: the site was not asked for.
        """
        span = self._spans[id(self._nodes[number])]
        line, column = self._position(span.start)
        end_line, end_column = self._position(span.end)
        return Site(
            self._path, line, column, end_line, end_column, span.start, span.end, function=span.function
        )

    def edit(self, request: EditRequest) -> Edit | None:
        """The edit that a request comes to, for the text that was parsed; see `source.edits`.

        Raises:
            KeyError: the edit was not asked for.
        """
        return work_out(request, Layout(self._nodes, self._spans), self._text) if self._exact else None

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


def locate(  # what was parsed, and what is wanted of it
    module: cst.Module,
    nodes: Sequence[cst.CSTNode],
    path: str,
    sites: Collection[SiteId],
    edits: Collection[EditRequest] = (),
    *,
    text: str | None = None,
    whole: str | None = None,
) -> Located:
    """Resolve sites and edits in one pass over the tree.

    `nodes` are those of the lowered module. `text` is what was parsed; without it, what LibCST writes is
    taken for it, which differs for a few files (see `positions.align`). `whole` is the text that it is an
    excerpt of, if it is one: as long, and the same where the nodes are.

    Raises:
        UnreadableSource: the tree is too deep to be written out.
        MisreadError: an excerpt is not written out as it was read.
    """
    wanted = [nodes[number] for number in sites]
    for request in edits:
        wanted += anchors(request, nodes)
    if not wanted:
        return Located(path, nodes, "", {}, exact=True)
    try:
        measured = measure(module, wanted)
    except RecursionError:
        raise UnreadableSource(path, 1, 1, "code is nested too deep") from None
    if text is None or text.startswith(measured.code):
        return Located(path, nodes, whole or text or measured.code, measured.spans, exact=True)
    return _aligned(path, nodes, measured, text, whole)


def _aligned(
    path: str, nodes: Sequence[cst.CSTNode], measured: Measured, text: str, whole: str | None
) -> Located:
    try:
        alignment = Alignment(measured.code, text)
    except ValueError:  # then lines and columns may be a little off, and nothing may be changed
        if whole is not None:
            raise MisreadError from None
        return Located(path, nodes, measured.code, measured.spans, exact=False)
    spans = {key: _moved(span, alignment) for key, span in measured.spans.items()}
    return Located(path, nodes, whole or text, spans, exact=True)


def _moved(span: Span, alignment: Alignment) -> Span:
    return Span(
        alignment.start(span.start),
        alignment.end(span.end),
        alignment.start(span.outer_start),
        alignment.end(span.outer_end),
        span.function,
    )
