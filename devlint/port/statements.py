"""Statements that are put between others."""

from __future__ import annotations

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor


def behind(node: cst.CSTNode, statement: str) -> cst.CSTNode:
    """A statement, and another one behind it. Behind imports comes an empty line."""
    assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    new = _parsed(statement).with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return cst.FlattenSentinel([node, new])  # type: ignore[return-value]  # a transformer may return several


def beginning(node: cst.CSTNode, statement: str) -> cst.CSTNode:
    """A block with a statement at its beginning, behind what documents it."""
    assert isinstance(node, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite))
    if isinstance(node, cst.SimpleStatementSuite):
        line = cst.SimpleStatementLine(node.body, trailing_whitespace=node.trailing_whitespace)
        return cst.IndentedBlock([_parsed(statement), line])
    first = 1 if node.body and _documents(node.body[0]) else 0
    return node.with_changes(body=[*node.body[:first], _parsed(statement), *node.body[first:]])


def with_torch(tree: cst.Module) -> cst.Module:
    """A module that imports torch."""
    context = CodemodContext()
    AddImportsVisitor.add_needed_import(context, "torch")
    return AddImportsVisitor(context).transform_module(tree)


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
