"""The syntax tree of a file, with LibCST's metadata about names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeAlias

import libcst as cst
from libcst import metadata
from libcst.helpers import get_full_name_for_node

from devlint.source.parse import parse
from devlint.source.unreadable import UnreadableSource

Frame: TypeAlias = cst.Module | cst.FunctionDef | cst.Lambda | cst.ClassDef
"""A node with local names."""
_PROVIDERS = (metadata.QualifiedNameProvider, metadata.ParentNodeProvider, metadata.PositionProvider)


class Source:
    """A file of a project."""

    def __init__(self, path: str, text: str) -> None:
        """Parse a text.

        Raises: | UnreadableSource: if the text is not valid Python, or LibCST cannot resolve its names.
        """
        self.path = path
        self.text = text
        self._wrapper = metadata.MetadataWrapper(parse(text, path), unsafe_skip_copy=True)
        self.tree = self._wrapper.module
        try:
            found = self._wrapper.resolve_many(_PROVIDERS)
        except (
            Exception
        ) as error:  # LibCST parses bytes in an annotation as code, and recurses with the nesting of the text
            raise UnreadableSource(path, 1, 1, f"LibCST cannot resolve its names: {error}") from None
        self._names: Any = found[metadata.QualifiedNameProvider]
        self._parents: Any = found[metadata.ParentNodeProvider]
        self._positions: Any = found[metadata.PositionProvider]

    def qualified(self, node: cst.CSTNode) -> frozenset[metadata.QualifiedName]:
        """The qualified names of a name, a dotted name or a definition. Empty for an attribute of a call's
        result, for which LibCST returns those of the called function."""
        inner = node
        while isinstance(inner, cst.Attribute):
            inner = inner.value
        if not isinstance(inner, (cst.Name, cst.FunctionDef, cst.ClassDef)):
            return frozenset()
        found = self._names.get(node, frozenset())
        return frozenset(found() if callable(found) else found)  # computed on demand

    def imported(self, node: cst.CSTNode) -> str:
        """The only qualified name outside of the file for an expression, such as `torch.cuda.synchronize`;
        empty without one."""
        found = self.qualified(node)
        if len(found) != 1:
            return ""
        (only,) = found
        return only.name if only.source is metadata.QualifiedNameSource.IMPORT else ""

    def builtin(self, node: cst.CSTNode, name: str) -> bool:
        """Whether an expression stands for a builtin function."""
        return any(
            each.name == f"builtins.{name}" and each.source is metadata.QualifiedNameSource.BUILTIN
            for each in self.qualified(node)
        )

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The parent of a node."""
        parent: cst.CSTNode | None = self._parents.get(node)
        return parent

    def around(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """Each ancestor of a node, with its child that leads to the node."""
        child, parent = node, self.parent(node)
        while parent is not None:
            yield parent, child
            child, parent = parent, self.parent(parent)

    def frames(self, node: cst.CSTNode) -> Iterator[Frame]:
        """The frames whose local names a node can use, innermost first. A default or a decorator is evaluated
        outside of its function. The module is last."""
        for parent, child in self.around(node):
            if isinstance(parent, cst.Module) or (
                isinstance(parent, (cst.FunctionDef, cst.Lambda, cst.ClassDef)) and child is parent.body
            ):
                yield parent

    def frame(self, node: cst.CSTNode) -> Frame:
        """The innermost of `frames`."""
        return next(self.frames(node))

    def statement(self, node: cst.CSTNode) -> cst.SimpleStatementLine | cst.BaseCompoundStatement | None:
        """The innermost statement around a node that has its own line."""
        for parent, _ in self.around(node):
            if isinstance(parent, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
                return parent
        return None

    def place(self, node: cst.CSTNode) -> tuple[int, int]:
        """Line and column at which a node begins, both from 1."""
        start = self._positions[node].start
        return start.line, start.column + 1

    def code(self, node: cst.CSTNode) -> str:
        """A node's text on one line."""
        return " ".join(self.tree.code_for_node(node).split())

    @cached_property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All nodes, each before its children."""
        found: list[cst.CSTNode] = []
        waiting: list[cst.CSTNode] = [self.tree]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += reversed(node.children)
        return tuple(found)

    @cached_property
    def definitions(self) -> dict[str, cst.FunctionDef | cst.ClassDef]:
        """The functions and classes of the file by qualified name; the last one, if several have one name."""
        found = {}
        for node in self.nodes:
            if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
                for each in self.qualified(node):
                    found[each.name] = node
        return found

    @cached_property
    def imports(self) -> dict[str, str]:
        """The names that import statements bind, with leading dots for relative imports."""
        bound = {}
        for node in self.nodes:
            if isinstance(node, cst.Import):
                for alias in node.names:
                    name = alias.evaluated_name
                    local = alias.evaluated_alias
                    bound[local or name.partition(".")[0]] = name if local else name.partition(".")[0]
            elif isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar):
                module = module_of(node)
                dot = "" if module.endswith(".") else "."
                for alias in node.names:
                    name = alias.evaluated_name
                    bound[alias.evaluated_alias or name] = f"{module}{dot}{name}"
        return bound

    @cached_property
    def _assigned(self) -> dict[Frame, dict[str, list[cst.BaseExpression]]]:
        found: dict[Frame, dict[str, list[cst.BaseExpression]]] = {}
        for node in self.nodes:
            if isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
                targets = [node] if isinstance(node, cst.AnnAssign) else node.targets
                for each in targets:
                    name = get_full_name_for_node(each.target)
                    if name is not None:
                        found.setdefault(self.frame(node), {}).setdefault(name, []).append(node.value)
        return found

    def assigned(self, frame: Frame) -> dict[str, list[cst.BaseExpression]]:
        """The values that statements of a frame assign to names and, by dotted names, to attributes."""
        return self._assigned.get(frame, {})

    def binding(self, node: cst.Name | cst.Attribute) -> tuple[Frame, str]:
        """The frame around a name that binds it, or the first part of a dotted name, with its text."""
        name = self.code(node)
        root = name.partition(".")[0]
        for frame in self.frames(node):
            if isinstance(frame, (cst.FunctionDef, cst.Lambda)) and any(
                each.name.value == root for each in parameters(frame)
            ):
                return frame, name
            if root in self.assigned(frame):
                return frame, name
        return self.tree, name

    @cached_property
    def stars(self) -> tuple[str, ...]:
        """The modules that are imported by `from … import *`."""
        return tuple(
            module_of(node)
            for node in self.nodes
            if isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar)
        )

    @cached_property
    def torch(self) -> str:
        """The name of torch in the file; empty if it is not imported."""
        return next((name for name, module in self.imports.items() if module == "torch"), "")


def text_of(value: cst.CSTNode | None) -> str:
    """The text of a string literal; empty for other nodes."""
    evaluated = value.evaluated_value if isinstance(value, cst.SimpleString) else None
    return evaluated if isinstance(evaluated, str) else ""


def parameters(function: cst.FunctionDef | cst.Lambda) -> tuple[cst.Param, ...]:
    """The parameters of a function that have a name and take one argument each."""
    listed = function.params
    return (*listed.posonly_params, *listed.params, *listed.kwonly_params)


def own_name(frame: Frame) -> str:
    """The first parameter of a method, its own object; empty without one."""
    named = parameters(frame) if isinstance(frame, cst.FunctionDef) else ()
    return named[0].name.value if named else ""


def module_of(node: cst.ImportFrom) -> str:
    """The module of `from … import`, with its dots."""
    name = get_full_name_for_node(node.module) if node.module is not None else ""
    return "." * len(node.relative) + (name or "")
