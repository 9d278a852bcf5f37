"""Lowering of statements: one function a type of `ast`, found by `type(node)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from devlint.source import ir
from devlint.source.from_ast.expressions import (
    lower_all,
    lower_expression,
    lower_keywords,
    lower_optional,
    lower_parameters,
)
from devlint.source.from_ast.operator_names import BINARY_OPERATORS
from devlint.source.from_ast.patterns import bound_names, is_irrefutable
from devlint.source.from_ast.source import Source, Undecided

Statements = list[ir.Statement]


def lower_block(body: Sequence[ast.stmt], source: Source) -> ir.Block:
    """The statements of a suite."""
    statements: Statements = []
    for statement in body:
        STATEMENTS[type(statement)](statement, source, statements)
    return tuple(statements)


def lower_statement(node: ast.stmt, source: Source, into: Statements) -> None:
    """Add the meaning of one statement to a block.

    Raises:
        Undecided: `ast` says too little.
    """
    STATEMENTS[type(node)](node, source, into)


def _nothing(_node: ast.Pass, _source: Source, _into: Statements) -> None:
    pass


def _evaluate(node: ast.Expr, source: Source, into: Statements) -> None:
    value = node.value
    if type(value) is ast.Constant and value.value is not ...:
        return
    if type(value) is ast.JoinedStr and all(type(part) is ast.Constant for part in value.values):
        return
    into.append(ir.Evaluate(source.add(node), lower_expression(value, source)))


def _assign(node: ast.Assign, source: Source, into: Statements) -> None:
    site = source.add(node)
    value = lower_expression(node.value, source)
    into.append(ir.Assign(site, lower_all(node.targets, source), value))


def _annotated(node: ast.AnnAssign, source: Source, into: Statements) -> None:
    site = source.add(node)
    target = lower_expression(node.target, source)
    annotation = lower_expression(node.annotation, source)
    if node.value is None:
        into.append(ir.Annotation(site, target, annotation))
    else:
        into.append(ir.Assign(site, (target,), lower_expression(node.value, source), annotation))


def _augmented(node: ast.AugAssign, source: Source, into: Statements) -> None:
    site = source.add(node)
    target = lower_expression(node.target, source)
    operator = BINARY_OPERATORS[type(node.op)]
    into.append(ir.AugmentedAssign(site, target, operator, lower_expression(node.value, source)))


def _return(node: ast.Return, source: Source, into: Statements) -> None:
    into.append(ir.Return(source.add(node), lower_optional(node.value, source)))


def _raise(node: ast.Raise, source: Source, into: Statements) -> None:
    site = source.add(node)
    value = lower_optional(node.exc, source)
    into.append(ir.Raise(site, value, lower_optional(node.cause, source)))


def _assert(node: ast.Assert, source: Source, into: Statements) -> None:
    site = source.add(node)
    test = lower_expression(node.test, source)
    into.append(ir.Assert(site, test, lower_optional(node.msg, source)))


def _delete(node: ast.Delete, source: Source, into: Statements) -> None:
    site = source.add(node)
    targets = node.targets
    while len(targets) == 1 and isinstance(targets[0], (ast.Tuple, ast.List)):
        targets = targets[0].elts
    into.append(ir.Delete(site, lower_all(targets, source)))


def _leave(node: ast.Break | ast.Continue, source: Source, into: Statements) -> None:
    into.append(ir.Leave(source.add(node), "break" if type(node) is ast.Break else "continue"))


def _import(node: ast.Import, source: Source, into: Statements) -> None:
    for alias in node.names:
        into.append(ir.Import(source.add(alias), alias.name, "", alias.asname or ""))


def _import_from(node: ast.ImportFrom, source: Source, into: Statements) -> None:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        into.append(ir.Import(source.add(alias), module, alias.name, alias.asname or ""))


def _outer(node: ast.Global | ast.Nonlocal, source: Source, into: Statements) -> None:
    into.append(ir.Outer(source.add(node), tuple(node.names), is_global=type(node) is ast.Global))


def _type_alias(node: Any, source: Source, into: Statements) -> None:
    """`type X = ...`; no type of Python before 3.12, and so without a name here."""
    target = lower_expression(node.name, source)
    into.append(ir.Assign(source.add(node), (target,), ir.Dots(source.add(node))))


def _if(node: ast.If, source: Source, into: Statements) -> None:
    links: list[tuple[ast.If, ir.Expression, ir.Block]] = []
    orelse: list[ast.stmt] = [node]
    while len(orelse) == 1 and type(orelse[0]) is ast.If:
        link = orelse[0]
        links.append((link, lower_expression(link.test, source), lower_block(link.body, source)))
        orelse = link.orelse
    block = lower_block(orelse, source)
    for link, test, then in reversed(links):
        block = (ir.If(source.add(link), test, then, block),)
    into += block


def _for(node: ast.For | ast.AsyncFor, source: Source, into: Statements) -> None:
    site = source.add(node)
    iterable = lower_expression(node.iter, source)
    target = lower_expression(node.target, source)
    body = lower_block(node.body, source)
    into.append(ir.For(site, target, iterable, body, lower_block(node.orelse, source)))


def _while(node: ast.While, source: Source, into: Statements) -> None:
    site = source.add(node)
    test = lower_expression(node.test, source)
    body = lower_block(node.body, source)
    into.append(ir.While(site, test, body, lower_block(node.orelse, source)))


def _try(node: ast.Try, source: Source, into: Statements) -> None:
    site = source.add(node)
    body = lower_block(node.body, source)
    handlers = tuple([
        ir.Handler(
            lower_optional(handler.type, source), handler.name or "", lower_block(handler.body, source)
        )
        for handler in node.handlers
    ])  # fmt: skip
    orelse = lower_block(node.orelse, source)
    into.append(ir.Try(site, body, handlers, orelse, lower_block(node.finalbody, source)))


def _with(node: ast.With | ast.AsyncWith, source: Source, into: Statements) -> None:
    site = source.add(node)
    items = tuple([
        (lower_expression(item.context_expr, source), lower_optional(item.optional_vars, source))
        for item in node.items
    ])  # fmt: skip
    into.append(ir.With(site, items, lower_block(node.body, source)))


def _match(node: ast.Match, source: Source, into: Statements) -> None:
    site = source.add(node)
    subject = lower_expression(node.subject, source)
    cases = tuple([
        ir.Case(
            bound_names(case.pattern),
            lower_optional(case.guard, source),
            lower_block(case.body, source),
            irrefutable=case.guard is None and is_irrefutable(case.pattern),
        )
        for case in node.cases
    ])  # fmt: skip
    into.append(ir.Match(site, subject, cases))


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, source: Source, into: Statements) -> None:
    site = source.add(node)
    decorators = lower_all(node.decorator_list, source)
    parameters = lower_parameters(node.args, source)
    returns = lower_optional(node.returns, source)
    body = lower_block(node.body, source)
    is_async = type(node) is ast.AsyncFunctionDef
    into.append(ir.Function(site, node.name, parameters, decorators, returns, body, is_async))


def _class(node: ast.ClassDef, source: Source, into: Statements) -> None:
    site = source.add(node)
    decorators = lower_all(node.decorator_list, source)
    bases: list[ir.Expression] = []
    for base in node.bases:
        if type(base) is not ast.Starred:
            bases.append(lower_expression(base, source))
        elif node.keywords:
            raise Undecided  # `class A(k=1, *b)`, where LibCST takes `*b` for a keyword
        else:
            value = lower_expression(base.value, source)
            bases.append(ir.Starred(source.add(base), value))
    keywords = tuple(lower_keywords(node.keywords, source))
    body = lower_block(node.body, source)
    into.append(ir.Class(site, node.name, tuple(bases), keywords, decorators, body))


class _Table(dict[type, Callable[[Any, Source, Statements], None]]):
    def __missing__(self, kind: type) -> Callable[[Any, Source, Statements], None]:
        if kind.__name__ == "TypeAlias":
            return _type_alias
        if kind.__name__ == "TryStar":
            return _try
        raise Undecided  # syntax newer than this lowering


STATEMENTS = _Table({
    ast.Pass: _nothing,
    ast.Expr: _evaluate,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Break: _leave,
    ast.Continue: _leave,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _outer,
    ast.Nonlocal: _outer,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
})  # fmt: skip
