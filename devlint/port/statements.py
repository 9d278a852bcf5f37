"""Inserting statements."""

from __future__ import annotations

from collections import Counter

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor

from devlint.port.source import Source


def behind(node: cst.CSTNode, statement: str) -> cst.CSTNode:
    """A statement, and another one after it. After imports comes an empty line."""
    assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    new = _parsed(statement).with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return cst.FlattenSentinel([node, new])  # type: ignore[return-value]  # a transformer may return several


def beginning(node: cst.CSTNode, statement: str) -> cst.CSTNode:
    """A block with a statement at its start, after its docstring."""
    assert isinstance(node, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite))
    if isinstance(node, cst.SimpleStatementSuite):
        line = cst.SimpleStatementLine(node.body, trailing_whitespace=node.trailing_whitespace)
        return cst.IndentedBlock([_parsed(statement), line])
    first = 1 if node.body and _documents(node.body[0]) else 0
    return node.with_changes(body=[*node.body[:first], _parsed(statement), *node.body[first:]])


def with_imports(tree: cst.Module, source: Source) -> cst.Module:
    """A changed file with an import of torch, and without unused imports from `torch.cuda.amp`."""
    context = CodemodContext()
    if not source.torch:
        AddImportsVisitor.add_needed_import(context, "torch")
        tree = AddImportsVisitor(context).transform_module(tree)
    unused = [name for name in source.imports.values() if name.startswith("torch.cuda.amp.")]
    if not unused:
        return tree
    for name in unused:
        module, _, imported = name.rpartition(".")
        RemoveImportsVisitor.remove_unused_import(context, module, imported)
    bare = RemoveImportsVisitor(context).transform_module(tree)
    return bare if comments(bare) == comments(tree) else tree


def comments(node: cst.CSTNode) -> Counter[str]:
    """The comments in a node."""
    found: Counter[str] = Counter()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, cst.Comment):
            found[each.value] += 1
        waiting += each.children
    return found


def _parsed(statement: str) -> cst.SimpleStatementLine:
    parsed = cst.parse_statement(statement)
    assert isinstance(parsed, cst.SimpleStatementLine)
    return parsed


def _documents(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )
