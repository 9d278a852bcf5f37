"""From LibCST's tree to the intermediate representation. Every file takes this step, so it visits only nodes
with meaning.

Lowering dispatches on `type(node)` over semantic fields; LibCST's visitors and metadata each take longer than
its parser.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.lowering.numbering import Nodes, UnknownSyntaxError
from devlint.source.lowering.statements import lower_statement
from devlint.source.unreadable import UnreadableSource

TOP_LEVEL = "<module>"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module in the intermediate representation, and its syntax nodes: `nodes[site]` for each `SiteId`."""

    body: ir.Block
    module: cst.Module
    nodes: Nodes
    firsts: list[int]
    """The lowest number in each statement of the module's body."""

    def path_of(self, site: SiteId) -> tuple[int, ...]:
        """The path of a site's statement: its index in the module's body and, inside of a function or class,
        its index in that body, and so on."""
        path: list[int] = []
        firsts: Sequence[int] = self.firsts
        body: Sequence[cst.CSTNode] = self.module.body
        while firsts:
            number = bisect_right(firsts, site) - 1
            path.append(number)
            scope = self.nodes.scopes.get(body[number])
            if scope is None or not scope.first <= site < scope.end:
                break
            firsts, body = scope.firsts, scope.body
        return tuple(path)

    def function_of(self, site: SiteId) -> str:
        """The qualified name of the function or class around a site, or `<module>`."""
        scopes = self.nodes.scopes.values()
        around = [scope.name for scope in scopes if scope.first <= site < scope.end]
        return ".".join(reversed(around)) or TOP_LEVEL


def lower(module: cst.Module, path: str = "") -> Lowered:
    """Lower a whole module.

    Raises: | UnreadableSource: the code nests too deep for Python's stack, or Python could not compile it
    either (an | integer literal of thousands of digits, text beside bytes).
    """
    nodes = Nodes()
    body: list[ir.Statement] = []
    firsts: list[int] = []
    for statement in module.body:
        firsts.append(len(nodes))
        try:
            lower_statement(statement, nodes, body)
        except UnknownSyntaxError as error:
            raise _unreadable(module, error.node, path, error.reason) from None
        except RecursionError:
            raise _unreadable(module, statement, path, "code is nested too deep") from None
    return Lowered(tuple(body), module, nodes, firsts)


def _unreadable(module: cst.Module, node: cst.CSTNode, path: str, reason: str) -> UnreadableSource:
    from devlint.source.positions.spans import line_and_column  # noqa: PLC0415  # imports LibCST's metadata

    try:
        return UnreadableSource(path, *line_and_column(module, node), reason)
    except RecursionError:
        return UnreadableSource(path, 1, 1, "code is nested too deep")
