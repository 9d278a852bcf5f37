"""A second lowering, of the standard library's `ast`, to compare the one of LibCST's tree with.

Sites are all zero, and what `ast` does not tell apart is written one way, see `comparable`.
"""

from __future__ import annotations

import ast
from typing import Any

from devlint.model import SiteId
from devlint.source import ir

NOWHERE = SiteId(0)
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Is: "is",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not_in",
}
SHAPES: dict[type[ast.AST], ir.Shape] = {
    ast.Tuple: ir.Shape.TUPLE,
    ast.List: ir.Shape.LIST,
    ast.Set: ir.Shape.SET,
    ast.ListComp: ir.Shape.LIST,
    ast.SetComp: ir.Shape.SET,
    ast.GeneratorExp: ir.Shape.GENERATOR,
}


def comparable(value: Any) -> Any:
    """A lowered value as nested tuples without sites.

    `x[a, b]` and `x[(a, b)]` become the same, keyword arguments come behind the others, and of a formatted
    string only the fields stay, because `ast` adds text to it for `{x=}`.
    """
    if isinstance(value, tuple):
        return tuple(comparable(item) for item in value)
    if isinstance(value, ir.Format):
        return ("Format", *(comparable(part) for part in value.parts if not isinstance(part, str)))
    if isinstance(value, ir.Constant):
        return ("Constant", type(value.value).__name__, repr(value.value))
    if not isinstance(value, ir.Node):
        return value
    content = {name: getattr(value, name) for name in value.__slots__ if name != "id"}
    if isinstance(value, ir.Call):
        content["arguments"] = tuple(sorted(value.arguments, key=_is_keyword))
    if isinstance(value, ir.Subscript):
        content["indices"] = _unpacked(value.indices)
    return (type(value).__name__, *(comparable(item) for item in content.values()))


def from_ast(source: str) -> ir.Block:
    """What `lower` should make of a source text."""
    return _block(ast.parse(source).body)


def _is_keyword(argument: ir.Argument) -> bool:
    return bool(argument.keyword) or argument.stars == 2


def _unpacked(indices: tuple[ir.Expression, ...]) -> tuple[ir.Expression, ...]:
    match indices:
        case (ir.Sequence(shape=ir.Shape.TUPLE, elements=elements),):
            return elements
        case _:
            return indices


def _block(body: list[ast.stmt]) -> ir.Block:
    return tuple(statement for node in body for statement in _statements(node))


def _statements(node: ast.stmt) -> list[ir.Statement]:  # one case a node type
    match node:
        case ast.Pass():
            return []
        case ast.Expr(value=value):
            evaluated = expression(value)
            return [] if isinstance(evaluated, ir.Constant) else [ir.Evaluate(NOWHERE, evaluated)]
        case ast.Assign(targets=targets, value=value):
            return [ir.Assign(NOWHERE, _all(targets), expression(value))]
        case ast.AnnAssign(target=target, annotation=annotation, value=None):
            return [ir.Annotation(NOWHERE, expression(target), expression(annotation))]
        case ast.AnnAssign(target=target, annotation=annotation, value=given):
            assert given is not None
            return [
                ir.Assign(NOWHERE, (expression(target),), expression(given), expression(annotation)),
            ]
        case ast.AugAssign(target=target, op=op, value=value):
            return [ir.AugmentedAssign(NOWHERE, expression(target), OPERATORS[type(op)], expression(value))]
        case ast.Return(value=result):
            return [ir.Return(NOWHERE, _optional(result))]
        case ast.Raise(exc=error, cause=cause):
            return [ir.Raise(NOWHERE, _optional(error), _optional(cause))]
        case ast.Assert(test=test, msg=message):
            return [ir.Assert(NOWHERE, expression(test), _optional(message))]
        case ast.Delete(targets=targets):
            return [ir.Delete(NOWHERE, _unpacked_targets(_all(targets)))]
        case ast.Break():
            return [ir.Leave(NOWHERE, "break")]
        case ast.Continue():
            return [ir.Leave(NOWHERE, "continue")]
        case ast.Import(names=names):
            return [ir.Import(NOWHERE, alias.name, "", alias.asname or "") for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            source = "." * level + (module or "")
            return [ir.Import(NOWHERE, source, alias.name, alias.asname or "") for alias in names]
        case ast.Global(names=outer):
            return [ir.Outer(NOWHERE, tuple(outer), is_global=True)]
        case ast.Nonlocal(names=outer):
            return [ir.Outer(NOWHERE, tuple(outer), is_global=False)]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [_function(node)]
        case ast.ClassDef():
            return [_class(node)]
        case _:
            return [_compound(node)]


def _compound(node: ast.stmt) -> ir.Statement:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            return ir.If(NOWHERE, expression(test), _block(body), _block(orelse))
        case (
            ast.For(target=target, iter=iterable, body=body, orelse=orelse)
            | ast.AsyncFor(target=target, iter=iterable, body=body, orelse=orelse)
        ):
            return ir.For(NOWHERE, expression(target), expression(iterable), _block(body), _block(orelse))
        case ast.While(test=test, body=body, orelse=orelse):
            return ir.While(NOWHERE, expression(test), _block(body), _block(orelse))
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            managers = tuple((expression(item.context_expr), _optional(item.optional_vars)) for item in items)
            return ir.With(NOWHERE, managers, _block(body))
        case ast.Match(subject=subject, cases=cases):
            return ir.Match(NOWHERE, expression(subject), tuple(_case(case) for case in cases))
        case _:
            return _try(node)


def _try(node: Any) -> ir.Try:
    assert type(node).__name__ in {"Try", "TryStar"}
    handlers = tuple(
        ir.Handler(_optional(handler.type), handler.name or "", _block(handler.body))
        for handler in node.handlers
    )
    return ir.Try(NOWHERE, _block(node.body), handlers, _block(node.orelse), _block(node.finalbody))


def _case(case: ast.match_case) -> ir.Case:
    bound: list[str] = []
    _collect(case.pattern, bound)
    irrefutable = case.guard is None and _takes_all(case.pattern)
    return ir.Case(tuple(dict.fromkeys(bound)), _optional(case.guard), _block(case.body), irrefutable)


def _collect(pattern: ast.pattern, bound: list[str]) -> None:
    for inner in ast.iter_child_nodes(pattern):
        if isinstance(inner, ast.pattern):
            _collect(inner, bound)
    if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name:
        bound.append(pattern.name)
    if isinstance(pattern, ast.MatchMapping) and pattern.rest:
        bound.append(pattern.rest)


def _takes_all(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return _takes_all(pattern.patterns[-1])
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _takes_all(pattern.pattern))


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Function:
    return ir.Function(
        NOWHERE,
        node.name,
        _parameters(node.args),
        _all(node.decorator_list),
        _optional(node.returns),
        _block(node.body),
        isinstance(node, ast.AsyncFunctionDef),
    )


def _class(node: ast.ClassDef) -> ir.Class:
    keywords = tuple(map(_keyword, node.keywords))
    decorators = _all(node.decorator_list)
    return ir.Class(NOWHERE, node.name, _all(node.bases), keywords, decorators, _block(node.body))


def _parameters(node: ast.arguments) -> tuple[ir.Parameter, ...]:
    named = [*node.posonlyargs, *node.args]
    defaults = [*[None] * (len(named) - len(node.defaults)), *node.defaults]
    parameters = [_parameter(arg, default) for arg, default in zip(named, defaults, strict=True)]
    if node.vararg:
        parameters.append(_parameter(node.vararg, None, stars=1))
    for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        parameters.append(_parameter(arg, default, keyword_only=True))
    if node.kwarg:
        parameters.append(_parameter(node.kwarg, None, stars=2))
    return tuple(parameters)


def _parameter(
    arg: ast.arg, default: ast.expr | None, *, stars: int = 0, keyword_only: bool = False
) -> ir.Parameter:
    return ir.Parameter(NOWHERE, arg.arg, _optional(arg.annotation), _optional(default), stars, keyword_only)


def _keyword(keyword: ast.keyword) -> ir.Argument:
    return ir.Argument(expression(keyword.value), keyword.arg or "", 0 if keyword.arg else 2)


def _positional(node: ast.expr) -> ir.Argument:
    if isinstance(node, ast.Starred):
        return ir.Argument(expression(node.value), "", 1)
    return ir.Argument(expression(node))


def _optional(node: ast.expr | None) -> ir.Expression | None:
    return None if node is None else expression(node)


def _all(nodes: list[ast.expr]) -> tuple[ir.Expression, ...]:
    return tuple(expression(node) for node in nodes)


def _unpacked_targets(targets: tuple[ir.Expression, ...]) -> tuple[ir.Expression, ...]:
    match targets:
        case (ir.Sequence(elements=elements),):
            return elements
        case _:
            return targets


def _loops(generators: list[ast.comprehension]) -> tuple[ir.Loop, ...]:
    return tuple(
        ir.Loop(expression(loop.target), expression(loop.iter), _all(loop.ifs)) for loop in generators
    )


def expression(node: ast.expr) -> ir.Expression:  # one case a node type
    """What an expression should be lowered to."""
    match node:
        case ast.Name(id=name):
            return ir.Name(NOWHERE, name)
        case ast.Constant(value=value):
            return ir.Dots(NOWHERE) if value is ... else ir.Constant(NOWHERE, value)
        case ast.JoinedStr():
            texts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            if len(texts) == len(node.values):
                return ir.Constant(NOWHERE, "".join(map(str, texts)))
            return ir.Format(NOWHERE, tuple(_fields(node)))
        case ast.Attribute(value=value, attr=name):
            return ir.Attribute(NOWHERE, expression(value), name)
        case ast.Call(func=function, args=args, keywords=keywords):
            arguments = (*map(_positional, args), *map(_keyword, keywords))
            return ir.Call(NOWHERE, expression(function), arguments)
        case ast.Subscript(value=value, slice=index):
            return ir.Subscript(NOWHERE, expression(value), (expression(index),))
        case ast.Slice(lower=lower, upper=upper, step=step):
            return ir.Slice(NOWHERE, _optional(lower), _optional(upper), _optional(step))
        case ast.Starred(value=value):
            return ir.Starred(NOWHERE, expression(value))
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return ir.Sequence(NOWHERE, SHAPES[type(node)], _all(elements))
        case ast.Dict(keys=keys, values=values):
            items = zip(map(_optional, keys), map(expression, values), strict=True)
            return ir.Mapping(NOWHERE, tuple(items))
        case ast.BinOp(left=left, op=op, right=right):
            return ir.Binary(NOWHERE, OPERATORS[type(op)], expression(left), expression(right))
        case ast.UnaryOp(op=unary, operand=operand):
            return ir.Unary(NOWHERE, OPERATORS[type(unary)], expression(operand))
        case ast.BoolOp(op=boolean, values=values):
            result = expression(values[0])
            for value in values[1:]:
                result = ir.Boolean(NOWHERE, OPERATORS[type(boolean)], result, expression(value))
            return result
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            rest = zip((OPERATORS[type(op)] for op in ops), map(expression, comparators), strict=True)
            return ir.Compare(NOWHERE, expression(left), tuple(rest))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ir.Conditional(NOWHERE, expression(test), expression(body), expression(orelse))
        case ast.DictComp(key=key, value=value, generators=generators):
            loops = _loops(generators)
            return ir.Comprehension(NOWHERE, ir.Shape.DICT, expression(key), expression(value), loops)
        case (
            ast.ListComp(elt=element, generators=generators)
            | ast.SetComp(elt=element, generators=generators)
            | ast.GeneratorExp(elt=element, generators=generators)
        ):
            shape = SHAPES[type(node)]
            return ir.Comprehension(NOWHERE, shape, None, expression(element), _loops(generators))
        case ast.Lambda(args=args_, body=body):
            return ir.Lambda(NOWHERE, _parameters(args_), expression(body))
        case ast.NamedExpr(target=target, value=value):
            return ir.Walrus(NOWHERE, expression(target), expression(value))
        case ast.Await(value=value):
            return ir.Await(NOWHERE, expression(value))
        case ast.Yield(value=result):
            return ir.Yield(NOWHERE, _optional(result), delegates=False)
        case ast.YieldFrom(value=value):
            return ir.Yield(NOWHERE, expression(value), delegates=True)
    raise AssertionError(ast.dump(node))


def _fields(node: ast.JoinedStr) -> list[ir.Expression]:
    fields: list[ir.Expression] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            fields.append(expression(part.value))
            if isinstance(part.format_spec, ast.JoinedStr):
                fields += _fields(part.format_spec)
    return fields
