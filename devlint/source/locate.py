"""Resolving sites and edits. Only this step needs positions, and only files with findings take it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from devlint.model import Edit, EditRequest, Site, SiteId
from devlint.model.lines import Lines
from devlint.source.edits import Extent, work_out
from devlint.source.positions.align import Alignment
from devlint.source.positions.layout import Layout
from devlint.source.positions.spans import Written, measure
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.source.lower import Lowered

Extents: TypeAlias = Callable[[cst.CSTNode], Extent]
"""Gives the position of a node in the text."""


class Located:
    """The requested sites and edits."""

    def __init__(self, path: str, lowered: Lowered, text: str, extent: Extents, *, exact: bool) -> None:
        self._path = path
        self._lowered = lowered
        self._text = text
        self._lines = Lines(text)
        self._extent = extent
        self._exact = exact

    def site(self, number: SiteId) -> Site:
        """The place of a site; for an expression without its own parentheses.

        Raises: | KeyError: if nothing in its statement was requested.
        """
        start, end = self._extent(self._lowered.nodes[number])
        function = self._lowered.function_of(number)
        line, column = self._lines.position(start)
        end_line, end_column = self._lines.position(end)
        return Site(self._path, line, column, end_line, end_column, start, end, function=function)

    def edit(self, request: EditRequest) -> Edit | None:
        """The edit for a request, for the text that was parsed; see `source.edits`.

        Raises: | KeyError: if nothing in its statement was requested.
        """
        if not self._exact:
            return None
        return work_out(request, Layout(self._lowered.nodes, self._extent), self._text)


def locate(
    lowered: Lowered,
    path: str,
    sites: Collection[SiteId],
    edits: Collection[EditRequest] = (),
    *,
    text: str | None = None,
) -> Located:
    """Resolve sites and edits.

    `text` is the parsed text. Without it, LibCST's output is used, which differs for a few files (see
    `positions.align`).

    Raises: | UnreadableSource: the tree is too deep to be written out.
    """
    numbers = {*sites, *(edit.site for edit in edits), *(e.quoted for e in edits if e.quoted is not None)}
    if not numbers:
        return Located(path, lowered, "", _nowhere, exact=True)
    try:
        written = measure(lowered.module, {lowered.path_of(number) for number in numbers})
    except RecursionError:
        raise UnreadableSource(path, 1, 1, "code is nested too deep") from None
    code = written.code
    if text is None or text.startswith(code):
        return Located(path, lowered, code if text is None else text, written.extent, exact=True)
    try:
        alignment = Alignment(code, text)
    except ValueError:  # lines and columns may then be slightly wrong, and edits are impossible
        return Located(path, lowered, code, written.extent, exact=False)
    return Located(path, lowered, text, _aligned(written, alignment), exact=True)


def _nowhere(node: cst.CSTNode) -> Extent:
    raise KeyError(node)


def _aligned(written: Written, alignment: Alignment) -> Extents:
    def extent(node: cst.CSTNode) -> Extent:
        start, end = written.extent(node)
        return Extent(alignment.start(start), alignment.end(end))

    return extent
