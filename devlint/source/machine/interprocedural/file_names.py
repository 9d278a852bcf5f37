"""The names that the text of a file binds."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source import ir
from devlint.source.machine.heap.files import File
from devlint.source.walk import Node, once_a_node, walk

_DYNAMIC = frozenset(
    {"__dict__", "__getattr__", "eval", "exec", "globals", "locals", "modules", "setattr", "vars"}
)
"""Constructs that may define names which are not in the source."""


def names_in(file: File) -> frozenset[str] | None:
    """All names in a file; None if it may define others."""
    return _names_in(file.body)


@once_a_node
def _names_in(body: ir.Block) -> frozenset[str] | None:
    named: set[str] = set()
    for node in walk(body, into_scopes=True):
        if _is_dynamic(node):
            return None
        named.update(_names(node))
    return frozenset(named)


def are_known(file: File) -> bool:
    """Whether a file that was executed has no other names than those that are known. A package also contains
    its submodules."""
    if file.path.endswith(("__init__.py", ".pyi")) or names_in(file) is None:
        return False
    defined = {name for node in walk(file.body) if isinstance(node, _DEFINITIONS) for name in _names(node)}
    return defined <= file.scope.cells.keys()


_DEFINITIONS = (ir.FunctionDef, ir.ClassDef, ir.Import)


def _is_dynamic(node: Node) -> bool:
    match node:
        case ir.Name(name=name) | ir.Attribute(name=name) | ir.FunctionDef(name=name):
            return name in _DYNAMIC
        case ir.Import(name=name):
            return name == "*"
        case _:
            return False


def _names(node: Node) -> Iterator[str]:
    """The names in a node, which include those that it binds."""
    match node:
        case ir.Name(name=name) | ir.FunctionDef(name=name) | ir.ClassDef(name=name) | ir.Handler(name=name):
            yield name
        case ir.Import(module=module, name=name, alias=alias):
            yield alias or name or module.partition(".")[0]
        case ir.Case(names=names) | ir.Outer(names=names):
            yield from names
        case _:
            return
