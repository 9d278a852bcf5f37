"""Lowering of expressions: one function for each LibCST node type, selected by `type(node)`.

Chains that grow to the left (`a + b + ...`, `x.f().g()...`, `a and b and ...`) are lowered in a loop, because
generated code has chains of thousands of links. Other nodes are lowered recursively.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import libcst as cst

from devlint.source import ir
from devlint.source.lowering import strings
from devlint.source.lowering.literals import string_value
from devlint.source.lowering.numbering import Nodes, UnknownSyntaxError
from devlint.source.lowering.operator_names import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS

_KEYWORD_CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}


def lower_expression(node: cst.BaseExpression, nodes: Nodes) -> ir.Expression:
    """The lowered expression; its nodes are numbered in `nodes`.

    Raises `UnknownSyntaxError`, and `RecursionError` for code that nests too deep.
    """
    return EXPRESSIONS[type(node)](node, nodes)


def lower_parameters(node: cst.Parameters, nodes: Nodes) -> tuple[ir.Parameter, ...]:
    """The parameters of a function or lambda, in order; the site of each is that of its name."""
    parameters = [_parameter(param, nodes) for param in (*node.posonly_params, *node.params)]
    if isinstance(node.star_arg, cst.Param):
        parameters.append(_parameter(node.star_arg, nodes, stars=1))
    parameters += [_parameter(param, nodes, keyword_only=True) for param in node.kwonly_params]
    if node.star_kwarg is not None:
        parameters.append(_parameter(node.star_kwarg, nodes, stars=2))
    return tuple(parameters)


def lower_arguments(arguments: Sequence[cst.Arg], nodes: Nodes) -> tuple[ir.Argument, ...]:
    """The arguments of a call, or the keywords of a class."""
    return tuple([
        ir.Argument(
            EXPRESSIONS[type(argument.value)](argument.value, nodes),
            "" if argument.keyword is None else argument.keyword.value,
            len(argument.star),
        )
        for argument in arguments
    ])  # fmt: skip


def _parameter(node: cst.Param, nodes: Nodes, stars: int = 0, keyword_only: bool = False) -> ir.Parameter:
    annotation, default = node.annotation, node.default
    return ir.Parameter(
        nodes.add(node.name),
        node.name.value,
        None if annotation is None else lower_expression(annotation.annotation, nodes),
        None if default is None else lower_expression(default, nodes),
        stars,
        keyword_only,
    )


def _optional(node: cst.BaseExpression | None, nodes: Nodes) -> ir.Expression | None:
    return None if node is None else EXPRESSIONS[type(node)](node, nodes)


def _name(node: cst.Name, nodes: Nodes) -> ir.Name | ir.Constant:
    name = node.value
    if name in _KEYWORD_CONSTANTS:
        return ir.Constant(nodes.add(node), _KEYWORD_CONSTANTS[name])
    return ir.Name(nodes.add(node), name)


def _dots(node: cst.Ellipsis, nodes: Nodes) -> ir.Dots:
    return ir.Dots(nodes.add(node))


def _integer(node: cst.Integer, nodes: Nodes) -> ir.Constant:
    try:
        value = int(node.value, 0)
    except ValueError as error:  # Python, too, refuses decimal literals of thousands of digits
        raise UnknownSyntaxError(node, "integer literal too long") from error
    return ir.Constant(nodes.add(node), value)


def _float(node: cst.Float, nodes: Nodes) -> ir.Constant:
    return ir.Constant(nodes.add(node), float(node.value))


def _imaginary(node: cst.Imaginary, nodes: Nodes) -> ir.Constant:
    return ir.Constant(nodes.add(node), complex(0.0, float(node.value[:-1])))


def _string(node: cst.SimpleString, nodes: Nodes) -> ir.Constant:
    return ir.Constant(nodes.add(node), string_value(node.value))


def _formatted(node: cst.FormattedString, nodes: Nodes) -> ir.Constant | ir.Format:
    return strings.formatted(node, nodes.add(node), partial(lower_expression, nodes=nodes))


def _template(node: cst.TemplatedString, nodes: Nodes) -> ir.Sequence:
    return strings.template(node, nodes.add(node), partial(lower_expression, nodes=nodes))


def _concatenated(node: cst.ConcatenatedString, nodes: Nodes) -> ir.Constant | ir.Format:
    return strings.concatenated(node, nodes.add(node), partial(lower_expression, nodes=nodes))


def _chain(node: cst.Call | cst.Attribute | cst.Subscript, nodes: Nodes) -> ir.Expression:
    """Lower `x.f(...).g[...]`: descend to the start of the chain, then lower its links."""
    links: list[Any] = []
    inner: Any = node
    kind: type = type(inner)
    while True:
        if kind is cst.Attribute or kind is cst.Subscript:
            links.append(inner)
            inner = inner.value
        elif kind is cst.Call:
            links.append(inner)
            inner = inner.func
        else:
            break
        kind = type(inner)
    value = EXPRESSIONS[kind](inner, nodes)
    for link in reversed(links):
        kind = type(link)
        if kind is cst.Attribute:
            value = ir.Attribute(nodes.add(link), value, link.attr.value)
        elif kind is cst.Call:
            site = nodes.add(link)
            value = ir.CallExpression(site, value, lower_arguments(link.args, nodes) if link.args else ())
        else:
            site = nodes.add(link)
            value = ir.Subscript(site, value, _indices(link.slice, nodes))
    return value


def _indices(elements: Sequence[cst.SubscriptElement], nodes: Nodes) -> tuple[ir.Expression, ...]:
    indices = tuple([_index(element.slice, nodes) for element in elements])
    if len(elements) == 1 and isinstance(elements[0].comma, cst.Comma):
        return (ir.Sequence(nodes.add(elements[0]), ir.Shape.TUPLE, indices),)  # `x[a,]` is `x[(a,)]`
    return indices


def _index(node: cst.BaseSlice, nodes: Nodes) -> ir.Expression:
    if isinstance(node, cst.Index):
        value = lower_expression(node.value, nodes)
        return ir.Starred(nodes.add(node), value) if node.star else value
    if isinstance(node, cst.Slice):
        return ir.Slice(
            nodes.add(node),
            _optional(node.lower, nodes),
            _optional(node.upper, nodes),
            _optional(node.step, nodes),
        )
    raise UnknownSyntaxError(node, f"no meaning is known for {type(node).__name__}")


def _starred(node: cst.StarredElement, nodes: Nodes) -> ir.Starred:
    return ir.Starred(nodes.add(node), lower_expression(node.value, nodes))


def _elements(elements: Sequence[cst.BaseElement], nodes: Nodes) -> tuple[ir.Expression, ...]:
    return tuple([
        _starred(element, nodes)
        if type(element) is cst.StarredElement
        else EXPRESSIONS[type(element.value)](element.value, nodes)
        for element in elements
    ])  # fmt: skip


def _tuple(node: cst.Tuple, nodes: Nodes) -> ir.Sequence:
    return ir.Sequence(nodes.add(node), ir.Shape.TUPLE, _elements(node.elements, nodes))


def _list(node: cst.List, nodes: Nodes) -> ir.Sequence:
    return ir.Sequence(nodes.add(node), ir.Shape.LIST, _elements(node.elements, nodes))


def _set(node: cst.Set, nodes: Nodes) -> ir.Sequence:
    return ir.Sequence(nodes.add(node), ir.Shape.SET, _elements(node.elements, nodes))


def _dict(node: cst.Dict, nodes: Nodes) -> ir.Mapping:
    site = nodes.add(node)
    items: list[tuple[ir.Expression | None, ir.Expression]] = []
    for element in node.elements:
        key = lower_expression(element.key, nodes) if isinstance(element, cst.DictElement) else None
        items.append((key, lower_expression(element.value, nodes)))
    return ir.Mapping(site, tuple(items))


def _binary(node: cst.BinaryOperation, nodes: Nodes) -> ir.Expression:
    links = [node]
    left = node.left
    while type(left) is cst.BinaryOperation:
        links.append(left)
        left = left.left
    value = EXPRESSIONS[type(left)](left, nodes)
    for link in reversed(links):
        site = nodes.add(link)
        right = link.right
        operator = BINARY_OPERATORS[type(link.operator)]
        value = ir.Binary(site, operator, value, EXPRESSIONS[type(right)](right, nodes))
    return value


def _boolean(node: cst.BooleanOperation, nodes: Nodes) -> ir.Expression:
    links = [node]
    left = node.left
    while type(left) is cst.BooleanOperation:
        links.append(left)
        left = left.left
    value = EXPRESSIONS[type(left)](left, nodes)
    for link in reversed(links):
        site = nodes.add(link)
        operator = "and" if type(link.operator) is cst.And else "or"
        value = ir.Boolean(site, operator, value, lower_expression(link.right, nodes))
    return value


def _unary(node: cst.UnaryOperation, nodes: Nodes) -> ir.Unary:
    site = nodes.add(node)
    operand = node.expression
    return ir.Unary(site, UNARY_OPERATORS[type(node.operator)], EXPRESSIONS[type(operand)](operand, nodes))


def _compare(node: cst.Comparison, nodes: Nodes) -> ir.Compare:
    site = nodes.add(node)
    left = lower_expression(node.left, nodes)
    rest = tuple([
        (COMPARISONS[type(target.operator)], lower_expression(target.comparator, nodes))
        for target in node.comparisons
    ])  # fmt: skip
    return ir.Compare(site, left, rest)


def _conditional(node: cst.IfExp, nodes: Nodes) -> ir.Conditional:
    return ir.Conditional(
        nodes.add(node),
        EXPRESSIONS[type(node.test)](node.test, nodes),
        EXPRESSIONS[type(node.body)](node.body, nodes),
        EXPRESSIONS[type(node.orelse)](node.orelse, nodes),
    )


def _loops(node: cst.CompFor, nodes: Nodes) -> tuple[ir.CompFor, ...]:
    loops: list[ir.CompFor] = []
    inner: cst.CompFor | None = node
    while inner is not None:
        target = lower_expression(inner.target, nodes)
        iterable = lower_expression(inner.iter, nodes)
        conditions = tuple([lower_expression(condition.test, nodes) for condition in inner.ifs])
        loops.append(ir.CompFor(target, iterable, conditions))
        inner = inner.inner_for_in
    return tuple(loops)


def _comprehension(node: cst.ListComp | cst.SetComp | cst.GeneratorExp, nodes: Nodes) -> ir.Comprehension:
    site = nodes.add(node)
    loops = _loops(node.for_in, nodes)
    return ir.Comprehension(site, _SHAPES[type(node)], None, lower_expression(node.elt, nodes), loops)


def _merging_comprehension(node: cst.StarredDictComp, nodes: Nodes) -> ir.Comprehension:
    site = nodes.add(node)
    loops = _loops(node.for_in, nodes)
    return ir.Comprehension(site, ir.Shape.DICT, None, lower_expression(node.value, nodes), loops)


def _dict_comprehension(node: cst.DictComp, nodes: Nodes) -> ir.Comprehension:
    site = nodes.add(node)
    loops = _loops(node.for_in, nodes)
    key = lower_expression(node.key, nodes)
    return ir.Comprehension(site, ir.Shape.DICT, key, lower_expression(node.value, nodes), loops)


def _lambda(node: cst.Lambda, nodes: Nodes) -> ir.Lambda:
    site = nodes.add(node)
    parameters = lower_parameters(node.params, nodes)
    return ir.Lambda(site, parameters, EXPRESSIONS[type(node.body)](node.body, nodes))


def _walrus(node: cst.NamedExpr, nodes: Nodes) -> ir.Walrus:
    site = nodes.add(node)
    return ir.Walrus(site, lower_expression(node.target, nodes), lower_expression(node.value, nodes))


def _await(node: cst.Await, nodes: Nodes) -> ir.Await:
    return ir.Await(nodes.add(node), lower_expression(node.expression, nodes))


def _yield(node: cst.Yield, nodes: Nodes) -> ir.Yield:
    site = nodes.add(node)
    value = node.value
    if isinstance(value, cst.From):
        return ir.Yield(site, lower_expression(value.item, nodes), delegates=True)
    return ir.Yield(site, _optional(value, nodes), delegates=False)


_SHAPES = {
    cst.ListComp: ir.Shape.LIST,
    cst.SetComp: ir.Shape.SET,
    cst.GeneratorExp: ir.Shape.GENERATOR,
}


class _Table(dict[type, Callable[[Any, Nodes], ir.Expression]]):
    def __missing__(self, kind: type) -> Callable[[Any, Nodes], ir.Expression]:
        def refuse(node: cst.CSTNode, _: Nodes) -> ir.Expression:
            raise UnknownSyntaxError(node, f"no meaning is known for {kind.__name__}")

        return refuse


EXPRESSIONS = _Table({
    cst.Name: _name,
    cst.Ellipsis: _dots,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.Imaginary: _imaginary,
    cst.SimpleString: _string,
    cst.FormattedString: _formatted,
    cst.TemplatedString: _template,
    cst.ConcatenatedString: _concatenated,
    cst.Attribute: _chain,
    cst.Call: _chain,
    cst.Subscript: _chain,
    cst.StarredElement: _starred,
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.Set: _set,
    cst.Dict: _dict,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.UnaryOperation: _unary,
    cst.Comparison: _compare,
    cst.IfExp: _conditional,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _dict_comprehension,
    cst.StarredDictComp: _merging_comprehension,
    cst.Lambda: _lambda,
    cst.NamedExpr: _walrus,
    cst.Await: _await,
    cst.Yield: _yield,
})  # fmt: skip
