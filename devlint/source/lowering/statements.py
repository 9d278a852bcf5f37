"""Lowering of statements: one function for each LibCST node type, selected by `type(node)`.

A function receives a node and the block to which it adds statements. `pass` and lone constants are omitted,
except `...`, which marks a body that is defined elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from devlint.source import ir
from devlint.source.lowering.expressions import lower_arguments, lower_expression, lower_parameters
from devlint.source.lowering.numbering import Nodes, NumberedBody, UnknownSyntaxError
from devlint.source.lowering.operator_names import AUGMENTED_OPERATORS
from devlint.source.lowering.patterns import bound_names, lower_pattern

Statements = list[ir.Statement]


def lower_block(body: cst.BaseSuite, nodes: Nodes) -> ir.Block:
    """The statements of a suite, which is indented or on the line of its header."""
    statements: Statements = []
    for statement in body.body:
        STATEMENTS[type(statement)](statement, nodes, statements)
    return tuple(statements)


def lower_statement(node: cst.BaseStatement | cst.BaseSmallStatement, nodes: Nodes, into: Statements) -> None:
    """Lower one statement, or one line of small statements, and add it to a block.

    Raises `UnknownSyntaxError`, and `RecursionError` for code that nests too deep.
    """
    STATEMENTS[type(node)](node, nodes, into)


def _optional(node: cst.BaseExpression | None, nodes: Nodes) -> ir.Expression | None:
    return None if node is None else lower_expression(node, nodes)


def _line(node: cst.SimpleStatementLine, nodes: Nodes, into: Statements) -> None:
    for statement in node.body:
        STATEMENTS[type(statement)](statement, nodes, into)


def _nothing(_node: cst.Pass, _nodes: Nodes, _into: Statements) -> None:
    pass


def _evaluate(node: cst.Expr, nodes: Nodes, into: Statements) -> None:
    if type(node.value) is cst.SimpleString:
        return  # a docstring; the text of most of them is long
    site = nodes.add(node)
    value = lower_expression(node.value, nodes)
    if isinstance(value, ir.Constant):
        del nodes[site:]
    else:
        into.append(ir.Evaluate(site, value))


def _assign(node: cst.Assign, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    value = lower_expression(node.value, nodes)
    targets = tuple([lower_expression(target.target, nodes) for target in node.targets])
    into.append(ir.Assign(site, targets, value))


def _annotated(node: cst.AnnAssign, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    target = lower_expression(node.target, nodes)
    annotation = lower_expression(node.annotation.annotation, nodes)
    if node.value is None:
        into.append(ir.Annotation(site, target, annotation))
    else:
        into.append(ir.Assign(site, (target,), lower_expression(node.value, nodes), annotation))


def _augmented(node: cst.AugAssign, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    target = lower_expression(node.target, nodes)
    operator = AUGMENTED_OPERATORS[type(node.operator)]
    into.append(ir.AugmentedAssign(site, target, operator, lower_expression(node.value, nodes)))


def _return(node: cst.Return, nodes: Nodes, into: Statements) -> None:
    into.append(ir.Return(nodes.add(node), _optional(node.value, nodes)))


def _raise(node: cst.Raise, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    value = _optional(node.exc, nodes)
    into.append(ir.Raise(site, value, _optional(node.cause.item if node.cause else None, nodes)))


def _assert(node: cst.Assert, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    into.append(ir.Assert(site, lower_expression(node.test, nodes), _optional(node.msg, nodes)))


def _delete(node: cst.Del, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    targets: list[cst.BaseExpression] = [node.target]
    while len(targets) == 1 and isinstance(targets[0], (cst.Tuple, cst.List)):
        targets = [element.value for element in targets[0].elements]
    into.append(ir.Delete(site, tuple([lower_expression(target, nodes) for target in targets])))


def _break(node: cst.Break, nodes: Nodes, into: Statements) -> None:
    into.append(ir.Leave(nodes.add(node), "break"))


def _continue(node: cst.Continue, nodes: Nodes, into: Statements) -> None:
    into.append(ir.Leave(nodes.add(node), "continue"))


def _import(node: cst.Import | cst.LazyImport, nodes: Nodes, into: Statements) -> None:
    for alias in node.names:
        into.append(ir.Import(nodes.add(alias), _dotted(alias.name), "", _alias(alias)))


def _import_from(node: cst.ImportFrom | cst.LazyImportFrom, nodes: Nodes, into: Statements) -> None:
    module = "." * len(node.relative) + (_dotted(node.module) if node.module else "")
    if isinstance(node.names, cst.ImportStar):
        into.append(ir.Import(nodes.add(node), module, "*", ""))
        return
    for alias in node.names:
        into.append(ir.Import(nodes.add(alias), module, _dotted(alias.name), _alias(alias)))


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Name):
        parts.append(node.value)
    return ".".join(reversed(parts))


def _alias(node: cst.ImportAlias) -> str:
    return _as_name(node.asname)


def _as_name(node: cst.AsName | None) -> str:
    return node.name.value if node is not None and isinstance(node.name, cst.Name) else ""


def _outer(node: cst.Global | cst.Nonlocal, nodes: Nodes, into: Statements) -> None:
    names = tuple([item.name.value for item in node.names])
    into.append(ir.Outer(nodes.add(node), names, is_global=type(node) is cst.Global))


def _type_alias(node: cst.TypeAlias, nodes: Nodes, into: Statements) -> None:
    """`type X = ...`, which binds a name to an object that is no tensor and is evaluated lazily."""
    target = lower_expression(node.name, nodes)
    into.append(ir.Assign(nodes.add(node), (target,), ir.Dots(nodes.add(node))))


def _if(node: cst.If, nodes: Nodes, into: Statements) -> None:
    links: list[tuple[cst.If, ir.Expression, ir.Block]] = []
    orelse: cst.If | cst.Else | None = node
    while isinstance(orelse, cst.If):
        links.append((orelse, lower_expression(orelse.test, nodes), lower_block(orelse.body, nodes)))
        orelse = orelse.orelse
    block = lower_block(orelse.body, nodes) if orelse is not None else ()
    for link, test, then in reversed(links):
        block = (ir.If(nodes.add(link), test, then, block),)
    into += block


def _orelse(node: cst.Else | None, nodes: Nodes) -> ir.Block:
    return () if node is None else lower_block(node.body, nodes)


def _for(node: cst.For, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    iterable = lower_expression(node.iter, nodes)
    target = lower_expression(node.target, nodes)
    body = lower_block(node.body, nodes)
    into.append(ir.For(site, target, iterable, body, _orelse(node.orelse, nodes)))


def _while(node: cst.While, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    test = lower_expression(node.test, nodes)
    body = lower_block(node.body, nodes)
    into.append(ir.While(site, test, body, _orelse(node.orelse, nodes)))


def _try(node: cst.Try | cst.TryStar, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    body = lower_block(node.body, nodes)
    handlers = tuple([
        ir.Handler(
            _optional(handler.type, nodes), _as_name(handler.name), lower_block(handler.body, nodes)
        )
        for handler in node.handlers
    ])  # fmt: skip
    orelse = _orelse(node.orelse, nodes)
    final = () if node.finalbody is None else lower_block(node.finalbody.body, nodes)
    into.append(ir.Try(site, body, handlers, orelse, final))


def _with(node: cst.With, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    items = tuple([
        (
            lower_expression(item.item, nodes),
            None if item.asname is None else lower_expression(item.asname.name, nodes),
        )
        for item in node.items
    ])  # fmt: skip
    into.append(ir.With(site, items, lower_block(node.body, nodes)))


def _match(node: cst.Match, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node)
    subject = lower_expression(node.subject, nodes)
    into.append(ir.Match(site, subject, tuple([_case(case, nodes) for case in node.cases])))


def _case(node: cst.MatchCase, nodes: Nodes) -> ir.Case:
    pattern = lower_pattern(node.pattern, nodes)
    guard = _optional(node.guard, nodes)
    body = lower_block(node.body, nodes)
    return ir.Case(pattern, bound_names(pattern), guard, body)


def _scope(node: cst.FunctionDef | cst.ClassDef, nodes: Nodes) -> ir.Block:
    """The body of a function or class, whose name is part of the qualified names in it."""
    suite = node.body
    first = len(nodes)
    if type(suite) is not cst.IndentedBlock:
        body = lower_block(suite, nodes)
        nodes.scopes[node] = NumberedBody(node.name.value, (), (), first, len(nodes))
        return body
    firsts: list[int] = []
    statements: Statements = []
    for statement in suite.body:
        firsts.append(len(nodes))
        STATEMENTS[type(statement)](statement, nodes, statements)
    nodes.scopes[node] = NumberedBody(node.name.value, suite.body, firsts, first, len(nodes))
    return tuple(statements)


def _function(node: cst.FunctionDef, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node.name)
    decorators = tuple([lower_expression(decorator.decorator, nodes) for decorator in node.decorators])
    parameters = lower_parameters(node.params, nodes)
    returns = None if node.returns is None else lower_expression(node.returns.annotation, nodes)
    body = _scope(node, nodes)
    into.append(ir.FunctionDef(site, node.name.value, parameters, decorators, returns, body))


def _class(node: cst.ClassDef, nodes: Nodes, into: Statements) -> None:
    site = nodes.add(node.name)
    decorators = tuple([lower_expression(decorator.decorator, nodes) for decorator in node.decorators])
    bases: list[ir.Expression] = []
    for base in node.bases:
        value = lower_expression(base.value, nodes)
        bases.append(ir.Starred(nodes.add(base), value) if base.star else value)
    keywords = lower_arguments(node.keywords, nodes)
    body = _scope(node, nodes)
    into.append(ir.ClassDef(site, node.name.value, tuple(bases), keywords, decorators, body))


class _Table(dict[type, Callable[[Any, Nodes, Statements], None]]):
    def __missing__(self, kind: type) -> Callable[[Any, Nodes, Statements], None]:
        def refuse(node: cst.CSTNode, _nodes: Nodes, _into: Statements) -> None:
            raise UnknownSyntaxError(node, f"no meaning is known for {kind.__name__}")

        return refuse


STATEMENTS = _Table({
    cst.SimpleStatementLine: _line,
    cst.Pass: _nothing,
    cst.Expr: _evaluate,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.LazyImport: _import,
    cst.LazyImportFrom: _import_from,
    cst.Global: _outer,
    cst.Nonlocal: _outer,
    cst.TypeAlias: _type_alias,
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
})  # fmt: skip
