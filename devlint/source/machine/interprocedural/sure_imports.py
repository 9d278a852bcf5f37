"""Imports that cannot fail, so that no alternative to them runs: `try: from . import a; except: …`."""

from __future__ import annotations

import sys

from devlint.source import ir
from devlint.source.machine.heap.files import File
from devlint.source.machine.interprocedural.linking import Files
from devlint.source.walk import walk

_THERE = frozenset({"torch", "numpy", *sys.stdlib_module_names})
"""Packages that are there if torch is, without which no tensor exists."""
_MOST_FILES = 20
"""The number of files that are read to find out whether an import can fail."""


def cannot_fail(files: Files, node: ir.Import, importer: File) -> bool:
    """Whether an import executes a file of the project that does nothing but define names, and import what
    is there or such files."""
    file = _imported(files, node, importer)
    return file is not None and _is_sure(files, file, {importer.path})


def _imported(files: Files, node: ir.Import, importer: File) -> File | None:
    """The file that an import executes, if the import does no more than name it or what it defines."""
    module = files.absolute(node.module, importer) if node.module.startswith(".") else node.module
    separator = "" if module.endswith(".") or not node.name else "."
    submodule = files.find(f"{module}{separator}{node.name}", importer)
    if submodule is not None and not submodule[1]:
        return submodule[0]
    found = files.find(module, importer) if node.name else None
    if found is None or found[1] or (node.name != "*" and node.name not in _names(found[0].body)):
        return None
    return found[0]


def _is_sure(files: Files, file: File, met: set[str]) -> bool:
    """Whether the body of a file cannot fail. A file that is imported already counts as one that cannot."""
    if file.path in met:
        return True
    met.add(file.path)
    return len(met) <= _MOST_FILES and all(_is_sure_statement(files, each, file, met) for each in file.body)


def _is_sure_statement(files: Files, statement: ir.Statement, file: File, met: set[str]) -> bool:
    match statement:
        case ir.Import(module=module) if module.split(".")[0] in _THERE:
            return True
        case ir.Import():
            imported = _imported(files, statement, file)
            return imported is not None and _is_sure(files, imported, met)
        case ir.FunctionDef() | ir.ClassDef():
            return True
        case ir.Assign() | ir.Annotation() | ir.Evaluate():
            return not any(isinstance(each, ir.CallExpression) for each in walk((statement,)))
        case _:
            return False


def _names(body: ir.Block) -> set[str]:
    """The names that the statements of a file define."""
    names: set[str] = set()
    for statement in body:
        match statement:
            case ir.Import(module=module, name=name, alias=alias):
                names.add(alias or name or module.split(".")[0])
            case ir.FunctionDef(name=name) | ir.ClassDef(name=name):
                names.add(name)
            case ir.Assign(targets=targets):
                names |= {each.name for each in walk(targets) if isinstance(each, ir.Name)}
    return names
