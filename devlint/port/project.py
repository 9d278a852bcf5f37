"""The files of a project together: names across files, callers, and where programs start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

import libcst as cst
from libcst.metadata import QualifiedNameSource

from devlint.port.source import Frame, Source
from devlint.project.modules import Modules

Defined: TypeAlias = cst.FunctionDef | cst.ClassDef


class Use(NamedTuple):
    """An expression that refers to a function or class."""

    source: Source
    node: cst.CSTNode

    @property
    def call(self) -> cst.Call | None:
        """The call of which it is the function; None for other uses."""
        parent = self.source.parent(self.node)
        return parent if isinstance(parent, cst.Call) and parent.func is self.node else None


class Project:
    """The files that are ported together."""

    def __init__(self, sources: Iterable[Source], modules: Modules) -> None:
        self.sources = tuple(sources)
        self._modules = modules
        self._by_path = {source.path: source for source in self.sources}
        self.home = {
            node: source
            for source in self.sources
            for node in source.nodes
            if isinstance(node, (cst.FunctionDef, cst.ClassDef))
        }
        """The file of each function and class."""

    def meaning(self, source: Source, node: cst.CSTNode) -> tuple[Defined, ...]:
        """The functions or classes of the project that a name or an attribute may be."""
        found: list[Defined] = []
        names = source.qualified(node)
        for each in names:
            if each.source is QualifiedNameSource.LOCAL and each.name in source.definitions:
                found.append(source.definitions[each.name])
            elif each.source is QualifiedNameSource.IMPORT:
                found += self._imported(source, each.name)
        if not names and isinstance(node, cst.Name):
            for module in source.stars:
                found += self._imported(source, f"{module}{'' if module.endswith('.') else '.'}{node.value}")
        return tuple(dict.fromkeys(found))

    def file_of(self, source: Source, name: str) -> tuple[Source | None, str]:
        """The file of an imported name, and the remaining names."""
        whole = self._modules.absolute(name, source.path) if name.startswith(".") else name
        if whole.startswith("."):
            return None, name
        path, rest, _ = self._modules.find_for_script(whole, source.path)
        return self._by_path.get(path), rest

    def _imported(self, source: Source, name: str, depth: int = 8) -> Iterator[Defined]:
        target, rest = self.file_of(source, name)
        if target is None or not rest or not depth:
            return
        if rest in target.definitions:
            yield target.definitions[rest]
            return
        first, _, inner = rest.partition(".")
        if first in target.imports:
            yield from self._imported(target, f"{target.imports[first]}.{inner}".rstrip("."), depth - 1)
            return
        for module in target.stars:
            yield from self._imported(
                target, f"{module}{'' if module.endswith('.') else '.'}{rest}", depth - 1
            )

    @cached_property
    def uses(self) -> dict[Defined, list[Use]]:
        """The uses of each function and class, without import statements."""
        found: dict[Defined, list[Use]] = defaultdict(list)
        for source in self.sources:
            for node in source.nodes:
                if isinstance(node, (cst.Name, cst.Attribute)) and self._is_read(source, node):
                    for each in self.meaning(source, node):
                        if not _names(source, node, each):
                            found[each].append(Use(source, node))
        return found

    @staticmethod
    def _is_read(source: Source, node: cst.CSTNode) -> bool:
        parent = source.parent(node)
        if isinstance(parent, cst.Attribute):
            return parent.value is node
        return (
            not isinstance(parent, (cst.Arg, cst.ImportAlias, cst.AsName, cst.Param))
            or (isinstance(parent, cst.Arg) and parent.value is node)
            or (isinstance(parent, cst.Param) and parent.default is node)
        )

    @cached_property
    def _importers(self) -> dict[str, set[str]]:
        """The files that import each file."""
        found: dict[str, set[str]] = defaultdict(set)
        for source in self.sources:
            for name in (*source.imports.values(), *source.stars):
                target, _ = self.file_of(source, name)
                if target is not None and target is not source:
                    found[target.path].add(source.path)
        return found

    def is_imported(self, source: Source) -> bool:
        """Whether another file of the project imports a file."""
        return bool(self._importers.get(source.path))

    def is_start(self, source: Source) -> bool:
        """Whether a program starts in a file: executing it has an effect, and either nothing imports it or it
        tests for `__main__`."""
        if main_block(source) is not None:
            return True
        return not self.is_imported(source) and any(_acts(statement) for statement in source.tree.body)

    @cached_property
    def handed_on(self) -> frozenset[str]:
        """The files whose names others compute: `models.__dict__[name]`, for example."""
        found = set()
        for source in self.sources:
            for node in source.nodes:
                if not isinstance(node, cst.Name):
                    continue
                parent = source.parent(node)
                if node.value in ("globals", "vars", "eval") and source.builtin(node, node.value):
                    found.add(source.path)
                if isinstance(parent, cst.Attribute) and parent.attr.value != "__dict__":
                    continue
                name = source.imported(node)
                target, rest = self.file_of(source, name) if name else (None, "")
                if target is not None and not rest and self._is_read(source, node):
                    found.add(target.path)
        return frozenset(found)

    @cached_property
    def attributes(self) -> dict[str, list[tuple[Source, cst.BaseExpression]]]:
        """The values that the project assigns to attributes of each name, of any object."""
        found: dict[str, list[tuple[Source, cst.BaseExpression]]] = defaultdict(list)
        for source in self.sources:
            for node in source.nodes:
                if isinstance(node, cst.Assign):
                    for target in node.targets:
                        if isinstance(target.target, cst.Attribute):
                            found[target.target.attr.value].append((source, node.value))
        return found

    def bases(self, defined: cst.ClassDef) -> list[cst.ClassDef]:
        """The classes of the project from which a class inherits directly."""
        source = self.home[defined]
        found = [each for base in defined.bases for each in self.meaning(source, base.value)]
        return [each for each in found if isinstance(each, cst.ClassDef)]

    def lineage(self, defined: cst.ClassDef) -> list[cst.ClassDef]:
        """A class and all its bases in the project, each before its own bases."""
        found: dict[cst.ClassDef, None] = {}
        waiting = [defined]
        while waiting:
            each = waiting.pop(0)
            if each not in found:
                found[each] = None
                waiting += self.bases(each)
        return list(found)

    def inherits(self, defined: cst.ClassDef, names: frozenset[str]) -> bool:
        """Whether a class inherits from a class with one of these names outside of the project."""
        return any(
            self.home[each].imported(base.value) in names
            for each in self.lineage(defined)
            for base in each.bases
        )

    def subclasses(self, defined: cst.ClassDef) -> list[cst.ClassDef]:
        """The classes of the project that inherit directly from a class."""
        return [each for each in self.home if isinstance(each, cst.ClassDef) and defined in self.bases(each)]

    def class_of(self, function: cst.CSTNode) -> cst.ClassDef | None:
        """The class of which a function is a method."""
        if not isinstance(function, cst.FunctionDef):
            return None
        frame = self.home[function].frame(function)
        return frame if isinstance(frame, cst.ClassDef) else None


def method(defined: cst.ClassDef, name: str) -> cst.FunctionDef | None:
    """The method that a class itself defines."""
    for statement in defined.body.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
            return statement
    return None


def main_block(source: Source) -> cst.If | None:
    """`if __name__ == "__main__":`."""
    for statement in source.tree.body:
        if isinstance(statement, cst.If) and isinstance(statement.test, cst.Comparison):
            left, right = statement.test.left, statement.test.comparisons[0].comparator
            texts = {source.code(left), source.code(right)}
            if "__name__" in texts and any("__main__" in text for text in texts):
                return statement
    return None


def frame_name(frame: Frame) -> str:
    """How a message names a frame."""
    if isinstance(frame, (cst.FunctionDef, cst.ClassDef)):
        return f"`{frame.name.value}`"
    return "a lambda" if isinstance(frame, cst.Lambda) else "the module"


def _names(source: Source, node: cst.CSTNode, defined: Defined) -> bool:
    """Whether a node is the name in a definition itself."""
    return source.parent(node) is defined and node is defined.name


def _acts(statement: cst.CSTNode) -> bool:
    """Whether a statement of a module has an effect other than definitions and imports."""
    if isinstance(statement, (cst.For, cst.While, cst.With)):
        return True
    if isinstance(statement, (cst.If, cst.Try)):
        return any(_acts(inner) for inner in statement.body.body)
    if isinstance(statement, cst.SimpleStatementLine):
        return any(isinstance(each, cst.Expr) and isinstance(each.value, cst.Call) for each in statement.body)
    return False
