"""Files that cannot be imported: at their beginning stands an import of what another file does not define.

Such a file is left over from other versions of its project. Nothing uses it, and no hypothesis about it
holds. This is asked of files only in which hypotheses have shown something.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source import ir
from devlint.source.machine.heap.files import File
from devlint.source.machine.interprocedural.linking import Files
from devlint.source.walk import Node, walk

_DYNAMIC = frozenset(
    {"__dict__", "__getattr__", "eval", "exec", "globals", "locals", "modules", "setattr", "vars"}
)
"""What may define a name that the text does not show."""


def cannot_be_imported(file: File, files: Files, asked: frozenset[File] = frozenset()) -> bool:
    """Whether an import at the top of a file fails, by itself or in the file to which it leads."""
    if file in asked:
        return False
    return any(
        _fails(statement, file, files, asked | {file})
        for statement in file.body
        # Another name may lead to what is installed besides.
        if isinstance(statement, ir.Import) and statement.module.startswith(".") and statement.name != "*"
    )


def _fails(statement: ir.Import, file: File, files: Files, asked: frozenset[File]) -> bool:
    module = files.absolute(statement.module, file)
    found = files.find(module, file) if module and not module.endswith(".") else None
    if found is None or found[1] or found[0].path == file.path:
        return False
    return _lacks(found[0], statement.name) or cannot_be_imported(found[0], files, asked)


def _lacks(file: File, name: str) -> bool:
    """Whether a file holds nothing under a name. A package holds its submodules too, of whatever language."""
    if file.path.endswith(("__init__.py", ".pyi")):
        return False
    nodes = list(walk(file.body, into_scopes=True))
    if any(_is_dynamic(each) for each in nodes):
        return False
    return all(name not in _names(each) for each in nodes)


def _is_dynamic(node: Node) -> bool:
    match node:
        case ir.Name(name=name) | ir.Attribute(name=name) | ir.Function(name=name):
            return name in _DYNAMIC
        case ir.Import(name=name):
            return name == "*"
        case _:
            return False


def _names(node: Node) -> Iterator[str]:
    """The names that stand in a node: one that is bound is among them."""
    match node:
        case ir.Name(name=name) | ir.Function(name=name) | ir.Class(name=name) | ir.Handler(name=name):
            yield name
        case ir.Import(module=module, name=name, alias=alias):
            yield alias or name or module.partition(".")[0]
        case ir.Case(names=names) | ir.Outer(names=names):
            yield from names
        case _:
            return
