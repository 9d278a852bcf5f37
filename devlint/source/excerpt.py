"""Places in a text that was read without LibCST: it parses what the places are in, and nothing else.

The rest of the text is blanked out, so that every character keeps its offset. What LibCST makes of an excerpt
is compared with what was interpreted; where they differ, LibCST reads the whole text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence

import libcst as cst

from devlint.model import EditRequest, SiteId
from devlint.model.lines import Lines
from devlint.source import ir
from devlint.source.from_ast.module import Region, Sketch
from devlint.source.locate import Located, locate
from devlint.source.lower import lower
from devlint.source.lowering.numbering import Nodes, UnknownSyntaxError
from devlint.source.lowering.statements import lower_statement
from devlint.source.misread import MisreadError
from devlint.source.parse import parse
from devlint.source.unreadable import UnreadableSource


def locate_in(
    text: str, path: str, sketch: Sketch, sites: Collection[SiteId], edits: Collection[EditRequest]
) -> Located:
    """Resolve sites and edits of a text that was read without LibCST.

    Raises:
        MisreadError: LibCST finds another meaning in the text.
        UnreadableSource: LibCST cannot parse it.
    """
    numbers = {*sites, *(edit.site for edit in edits), *(e.quoted for e in edits if e.quoted is not None)}
    regions = _regions_of(numbers, sketch.regions)
    part = _excerpt(text, regions)
    try:
        module = parse(part, path)
        nodes = _nodes(module, regions)
        return locate(module, nodes, path, sites, edits, text=part, whole=text)
    except (MisreadError, UnreadableSource, RecursionError):
        return _locate_in_whole(text, path, sketch, sites, edits)


def _locate_in_whole(
    text: str, path: str, sketch: Sketch, sites: Collection[SiteId], edits: Collection[EditRequest]
) -> Located:
    module = parse(text, path)
    lowered = lower(module, path)
    try:
        if lowered.body != sketch.body:
            raise MisreadError
    except RecursionError:  # nested too deeply to compare, though not to interpret
        raise MisreadError from None
    return locate(module, lowered.nodes, path, sites, edits, text=text)


def _regions_of(numbers: Collection[int], regions: Sequence[Region]) -> list[Region]:
    firsts = [region.first for region in regions]
    # A region without a node has the number of the next one, which then is the rightmost.
    return [regions[index] for index in sorted({bisect_right(firsts, number) - 1 for number in numbers})]


def _excerpt(text: str, regions: Sequence[Region]) -> str:
    """The text with all else blanked out. One line takes the place of many: nobody counts them in it."""
    lines = Lines(text)
    parts: list[str] = []
    at = 0
    for region in regions:
        start = lines.start(region.start)
        end = lines.start(region.end + 1) if region.end < len(lines) else len(text)
        parts += (_blank(text[at:start]), text[start:end])
        at = end
    return "".join(parts)


def _blank(text: str) -> str:
    return " " * (len(text) - 1) + text[-1] if text else ""


def _nodes(module: cst.Module, regions: Sequence[Region]) -> Nodes:
    """The nodes of an excerpt under the numbers that they have in the whole text."""
    if len(module.body) != len(regions):
        raise MisreadError
    nodes = Nodes()
    for statement, region in zip(module.body, regions, strict=True):
        nodes.extend([statement] * (region.first - len(nodes)))  # for the numbers of what was left out
        body: list[ir.Statement] = []
        try:
            lower_statement(statement, nodes, body)
        except (UnknownSyntaxError, RecursionError):
            raise MisreadError from None
        if tuple(body) != region.body:
            raise MisreadError
    return nodes
