"""From LibCST's tree to the intermediate form: the way of every file, so it visits what has meaning only.

A walk by `type(node)` over semantic fields; LibCST's visitors and metadata each cost more than its parse.
"""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.locate import locate
from devlint.source.lowering.numbering import Nodes, UnknownSyntaxError
from devlint.source.lowering.statements import lower_statement
from devlint.source.unreadable import UnreadableSource


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module in the intermediate form, and its syntax nodes: `nodes[site]` for each `SiteId`."""

    body: ir.Block
    nodes: list[cst.CSTNode]


def lower(module: cst.Module, path: str = "") -> Lowered:
    """Lower a whole module.

    Raises:
        UnreadableSource: the code nests too deep for Python's stack, or is what Python would not compile
            either (an integer literal of thousands of digits, text beside bytes).
    """
    nodes = Nodes()
    body: list[ir.Statement] = []
    statement: cst.CSTNode = module
    try:
        for statement in module.body:
            lower_statement(statement, nodes, body)
    except UnknownSyntaxError as error:
        raise _unreadable(module, error.node, path, error.reason) from None
    except RecursionError:
        raise _unreadable(module, statement, path, "code is nested too deep") from None
    return Lowered(tuple(body), nodes)


def _unreadable(module: cst.Module, node: cst.CSTNode, path: str, reason: str) -> UnreadableSource:
    site = locate(module, [node], path, [SiteId(0)]).site(SiteId(0))
    return UnreadableSource(path, site.line, site.column, reason)
