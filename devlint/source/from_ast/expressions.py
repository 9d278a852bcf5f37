"""Lowering of expressions: one function a type of `ast`, found by `type(node)`.

As in `lowering`, chains that grow to the left are walked in a loop; all else recurses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from devlint.source import ir
from devlint.source.from_ast.operator_names import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS
from devlint.source.from_ast.source import Source, Undecided
from devlint.source.lowering.literals import joined


def lower_expression(node: ast.expr, source: Source) -> ir.Expression:
    """The meaning of one expression.

    Raises:
        Undecided: `ast` says too little.
    """
    return EXPRESSIONS[type(node)](node, source)


def lower_parameters(node: ast.arguments, source: Source) -> tuple[ir.Parameter, ...]:
    """The parameters of a function or lambda, in order."""
    named = [*node.posonlyargs, *node.args]
    defaults = [*[None] * (len(named) - len(node.defaults)), *node.defaults]
    parameters = [_parameter(arg, default, source) for arg, default in zip(named, defaults, strict=True)]
    if node.vararg:
        parameters.append(_parameter(node.vararg, None, source, stars=1))
    for arg, given in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        parameters.append(_parameter(arg, given, source, keyword_only=True))
    if node.kwarg:
        parameters.append(_parameter(node.kwarg, None, source, stars=2))
    return tuple(parameters)


def lower_keywords(keywords: Sequence[ast.keyword], source: Source) -> list[ir.Argument]:
    """`name=value` and `**value`."""
    return [
        ir.Argument(EXPRESSIONS[type(keyword.value)](keyword.value, source), keyword.arg)
        if keyword.arg is not None
        else ir.Argument(EXPRESSIONS[type(keyword.value)](keyword.value, source), "", 2)
        for keyword in keywords
    ]


def lower_all(nodes: Sequence[ast.expr], source: Source) -> tuple[ir.Expression, ...]:
    """Several expressions, one after the other."""
    return tuple([EXPRESSIONS[type(node)](node, source) for node in nodes])


def lower_optional(node: ast.expr | None, source: Source) -> ir.Expression | None:
    """An expression that may be left out."""
    return None if node is None else EXPRESSIONS[type(node)](node, source)


def _parameter(
    node: ast.arg, default: ast.expr | None, source: Source, stars: int = 0, keyword_only: bool = False
) -> ir.Parameter:
    return ir.Parameter(
        source.add(node),
        node.arg,
        lower_optional(node.annotation, source),
        lower_optional(default, source),
        stars,
        keyword_only,
    )


def _arguments(node: ast.Call, source: Source) -> tuple[ir.Argument, ...]:
    if not node.keywords:
        return tuple([_positional(argument, source) for argument in node.args])
    stray = [argument for argument in node.args if type(argument) is ast.Starred]
    if stray and _place(stray[-1]) > _place(node.keywords[0]):  # `f(a=1, *b)`
        mixed: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        return tuple([
            lower_keywords([argument], source)[0]
            if isinstance(argument, ast.keyword)
            else _positional(argument, source)
            for argument in sorted(mixed, key=_place)
        ])  # fmt: skip
    positional = [_positional(argument, source) for argument in node.args]
    return (*positional, *lower_keywords(node.keywords, source))


def _place(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _positional(node: ast.expr, source: Source) -> ir.Argument:
    if type(node) is ast.Starred:
        return ir.Argument(lower_expression(node.value, source), "", 1)
    return ir.Argument(EXPRESSIONS[type(node)](node, source))


def _name(node: ast.Name, source: Source) -> ir.Name:
    return ir.Name(source.add(node), node.id)


def _constant(node: ast.Constant, source: Source) -> ir.Constant | ir.Dots:
    value = node.value
    return ir.Dots(source.add(node)) if value is ... else ir.Constant(source.add(node), value)


def _formatted(node: ast.JoinedStr, source: Source) -> ir.Constant | ir.Format:
    site = source.add(node)
    parts: list[str | bytes | ir.Expression] = []
    source.in_string += 1
    for value in node.values:
        if type(value) is ast.FormattedValue:
            parts += _field(value, source)
        elif type(value) is ast.Constant:
            parts.append(str(value.value))
        else:
            raise Undecided
    source.in_string -= 1
    return joined(site, parts)


def _field(node: ast.FormattedValue, source: Source) -> list[ir.Expression]:
    """The expression in a replacement field, and those in its format."""
    fields = [lower_expression(node.value, source)]
    if node.format_spec is not None:
        assert isinstance(node.format_spec, ast.JoinedStr)
        for value in node.format_spec.values:
            if isinstance(value, ast.FormattedValue):
                fields += _field(value, source)
    return fields


def _chain(node: ast.expr, source: Source) -> ir.Expression:
    """`x.f(...).g[...]`: from the outside in to what the chain starts with, then out again."""
    links: list[Any] = []
    inner: Any = node
    kind: type = type(inner)
    while True:
        if kind is ast.Attribute or kind is ast.Subscript:
            links.append(inner)
            inner = inner.value
        elif kind is ast.Call:
            links.append(inner)
            inner = inner.func
        else:
            break
        kind = type(inner)
    value = EXPRESSIONS[kind](inner, source)
    for link in reversed(links):
        kind = type(link)
        site = source.add(link)
        if kind is ast.Attribute:
            value = ir.Attribute(site, value, link.attr)
        elif kind is ast.Call:
            value = ir.Call(site, value, _arguments(link, source))
        else:
            value = ir.Subscript(site, value, _indices(link.slice, source))
    return value


def _indices(node: ast.expr, source: Source) -> tuple[ir.Expression, ...]:
    if type(node) is not ast.Tuple or not node.elts or source.has_parentheses(node):
        return (_index(node, source),)
    if len(node.elts) > 1:
        return tuple([_index(element, source) for element in node.elts])
    if type(node.elts[0]) is ast.Starred:
        raise Undecided  # `x[*a]` and `x[*a,]` look the same
    indices = (_index(node.elts[0], source),)
    return (ir.Sequence(source.add(node), ir.Shape.TUPLE, indices),)  # `x[a,]` is `x[(a,)]`


def _index(node: ast.expr, source: Source) -> ir.Expression:
    if type(node) is ast.Starred:
        value = lower_expression(node.value, source)
        return ir.Starred(source.add(node), value)
    return EXPRESSIONS[type(node)](node, source)


def _slice(node: ast.Slice, source: Source) -> ir.Slice:
    return ir.Slice(
        source.add(node),
        lower_optional(node.lower, source),
        lower_optional(node.upper, source),
        lower_optional(node.step, source),
    )


def _starred(node: ast.Starred, source: Source) -> ir.Starred:
    return ir.Starred(source.add(node), lower_expression(node.value, source))


def _sequence(node: ast.Tuple | ast.List | ast.Set, source: Source) -> ir.Sequence:
    return ir.Sequence(source.add(node), _SHAPES[type(node)], lower_all(node.elts, source))


def _dict(node: ast.Dict, source: Source) -> ir.Mapping:
    site = source.add(node)
    pairs = zip(node.keys, node.values, strict=True)
    items = [(lower_optional(key, source), lower_expression(value, source)) for key, value in pairs]
    return ir.Mapping(site, tuple(items))


def _binary(node: ast.BinOp, source: Source) -> ir.Expression:
    links = [node]
    left = node.left
    while type(left) is ast.BinOp:
        links.append(left)
        left = left.left
    value = EXPRESSIONS[type(left)](left, source)
    for link in reversed(links):
        site = source.add(link)
        right = link.right
        operator = BINARY_OPERATORS[type(link.op)]
        value = ir.Binary(site, operator, value, EXPRESSIONS[type(right)](right, source))
    return value


def _boolean(node: ast.BoolOp, source: Source) -> ir.Expression:
    operator = "and" if type(node.op) is ast.And else "or"
    value = lower_expression(node.values[0], source)
    for right in node.values[1:]:
        value = ir.Boolean(source.add(node), operator, value, lower_expression(right, source))
    return value


def _unary(node: ast.UnaryOp, source: Source) -> ir.Unary:
    return ir.Unary(source.add(node), UNARY_OPERATORS[type(node.op)], lower_expression(node.operand, source))


def _compare(node: ast.Compare, source: Source) -> ir.Compare:
    site = source.add(node)
    left = lower_expression(node.left, source)
    targets = zip(node.ops, node.comparators, strict=True)
    rest = [(COMPARISONS[type(op)], lower_expression(right, source)) for op, right in targets]
    return ir.Compare(site, left, tuple(rest))


def _conditional(node: ast.IfExp, source: Source) -> ir.Conditional:
    return ir.Conditional(
        source.add(node),
        lower_expression(node.test, source),
        lower_expression(node.body, source),
        lower_expression(node.orelse, source),
    )


def _loops(generators: Sequence[ast.comprehension], source: Source) -> tuple[ir.Loop, ...]:
    return tuple([
        ir.Loop(
            lower_expression(loop.target, source),
            lower_expression(loop.iter, source),
            lower_all(loop.ifs, source),
        )
        for loop in generators
    ])  # fmt: skip


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, source: Source) -> ir.Comprehension:
    site = source.add(node)
    loops = _loops(node.generators, source)
    return ir.Comprehension(site, _SHAPES[type(node)], None, lower_expression(node.elt, source), loops)


def _dict_comprehension(node: ast.DictComp, source: Source) -> ir.Comprehension:
    site = source.add(node)
    loops = _loops(node.generators, source)
    key = lower_expression(node.key, source)
    return ir.Comprehension(site, ir.Shape.DICT, key, lower_expression(node.value, source), loops)


def _lambda(node: ast.Lambda, source: Source) -> ir.Lambda:
    site = source.add(node)
    parameters = lower_parameters(node.args, source)
    return ir.Lambda(site, parameters, lower_expression(node.body, source))


def _walrus(node: ast.NamedExpr, source: Source) -> ir.Walrus:
    site = source.add(node)
    return ir.Walrus(site, lower_expression(node.target, source), lower_expression(node.value, source))


def _await(node: ast.Await, source: Source) -> ir.Await:
    return ir.Await(source.add(node), lower_expression(node.value, source))


def _yield(node: ast.Yield | ast.YieldFrom, source: Source) -> ir.Yield:
    site = source.add(node)
    return ir.Yield(site, lower_optional(node.value, source), delegates=type(node) is ast.YieldFrom)


_SHAPES: dict[type[ast.expr], ir.Shape] = {
    ast.Tuple: ir.Shape.TUPLE,
    ast.List: ir.Shape.LIST,
    ast.Set: ir.Shape.SET,
    ast.ListComp: ir.Shape.LIST,
    ast.SetComp: ir.Shape.SET,
    ast.GeneratorExp: ir.Shape.GENERATOR,
}


class _Table(dict[type, Callable[[Any, Source], ir.Expression]]):
    def __missing__(self, kind: type) -> Callable[[Any, Source], ir.Expression]:
        raise Undecided  # syntax newer than this lowering


EXPRESSIONS = _Table({
    ast.Name: _name,
    ast.Constant: _constant,
    ast.JoinedStr: _formatted,
    ast.Attribute: _chain,
    ast.Call: _chain,
    ast.Subscript: _chain,
    ast.Slice: _slice,
    ast.Starred: _starred,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
})  # fmt: skip
