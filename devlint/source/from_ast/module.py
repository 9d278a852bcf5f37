"""A whole module's meaning without LibCST, and which lines each of its statements takes."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from devlint.model.syntax import module_tree
from devlint.source import ir
from devlint.source.from_ast.source import Source, Undecided
from devlint.source.from_ast.statements import Statements, lower_statement

_WORD = re.compile(r"[0-9A-Za-z_\x80-\U0010ffff]+")
"""Outside of strings and comments, every character that ASCII lacks is a part of a name."""


class Region(NamedTuple):
    """One line of a module's body: a compound statement, or simple ones with semicolons between them."""

    first: int
    """The number that its first node got."""
    start: int
    """The line on which it begins, with the blank lines and comments before it."""
    end: int
    """Its last line."""
    body: ir.Block


class Sketch(NamedTuple):
    """A module in the intermediate form, with the numbers that LibCST's nodes would have."""

    body: ir.Block
    regions: tuple[Region, ...]
    tree: ast.Module
    nodes: list[ast.AST | None]
    """The nodes of the tree by number; None where `ast` does not say where they are."""


def sketch(text: str) -> Sketch | None:
    """Lower a whole module; None where only LibCST can tell what it means."""
    source = Source(text)
    try:
        tree = module_tree(text)
        if not text.isascii() and _writes_names_otherwise(text, tree):
            return None
        regions = _regions(tree.body, source)
    except (SyntaxError, ValueError, RecursionError, Undecided):
        return None
    body = tuple([statement for region in regions for statement in region.body])
    return Sketch(body, tuple(regions), tree, source.nodes)


def _writes_names_otherwise(text: str, tree: ast.Module) -> bool:
    """Whether a name is not written in its normal form. `ast` gives that form, LibCST what is written."""
    foreign = " ".join(line for line in text.split("\n") if not line.isascii())
    pairs = ((word, unicodedata.normalize("NFKC", word)) for word in set(_WORD.findall(foreign)))
    changed = {normal for word, normal in pairs if word != normal and normal.isidentifier()}
    return bool(changed) and not changed.isdisjoint(_names(tree))


def _names(tree: ast.Module) -> Iterator[str]:
    """All names in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            continue
        for _, content in ast.iter_fields(node):
            for name in content if isinstance(content, list) else (content,):
                if isinstance(name, str):
                    yield from name.split(".")  # the name of a module has dots


def _regions(body: list[ast.stmt], source: Source) -> list[Region]:
    regions: list[Region] = []
    first, start, end = 0, 1, 0
    statements: Statements = []
    for node in body:
        if node.lineno > end and end:
            regions.append(Region(first, start, end, tuple(statements)))
            statements = []
            first, start = len(source.nodes), end + 1
        lower_statement(node, source, statements)
        end = node.end_lineno or node.lineno
    regions.append(Region(first, start, end, tuple(statements)))
    return regions
