"""Inlay hints with devices after bound names: `x: cuda:0 = …`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lsprotocol import types

from devlint.integrations.language_server.positions import Positions
from devlint.model import Kind
from devlint.model.lines import Lines
from devlint.model.syntax import module_tree
from devlint.pipeline.texts.editing import Checked

_SHOWN = (Kind.TENSOR, Kind.MODULE, Kind.GENERATOR)


def hints(checked: Checked, span: tuple[int, int], positions: Positions) -> list[types.InlayHint]:
    """The hints for names that are bound in a span of the text."""
    bound = set(_bound(checked.document.text))
    devices: dict[int, dict[str, None]] = {}
    for each in checked.placed:
        site = each.site
        if (site.start, site.end) in bound and span[0] <= site.end <= span[1] and each.operand.kind in _SHOWN:
            devices.setdefault(site.end, {})[str(each.operand.device)] = None
    return [
        types.InlayHint(
            positions.position(end),
            f": {' | '.join(names)}",
            kind=types.InlayHintKind.Type,
            padding_right=True,
        )
        for end, names in sorted(devices.items())
    ]


def _bound(text: str) -> Iterator[tuple[int, int]]:
    """The extents of bound names: by assignments, loops and parameters."""
    try:
        tree = module_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = Lines(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        else:
            continue
        before = lines.text(node.lineno).encode()[: node.col_offset].decode(errors="replace")
        start = lines.start(node.lineno) + len(before)
        yield start, start + len(name)
