"""Traversal of the intermediate representation, and the text of its expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

from devlint.model.value import Value
from devlint.source import ir

Node: TypeAlias = (
    ir.Expression | ir.Statement | ir.Argument | ir.Parameter | ir.CompFor | ir.Handler | ir.Case | ir.Pattern
)

_N = TypeVar("_N")
_T = TypeVar("_T")

_PLAIN = frozenset(
    {"SiteId", "str", "int", "bool", "Shape", "tuple[str, ...]", ir.Constant.__annotations__["value"]}
)
"""The declared types of fields without nodes."""
_MIXED = frozenset({
    "tuple[str | Expression, ...]",
    "tuple[tuple[str, Expression], ...]",
    "tuple[tuple[Expression | None, Expression], ...]",
    "tuple[tuple[Expression, Expression | None], ...]",
    "tuple[tuple[Expression, Pattern], ...]",
    "tuple[tuple[str, Pattern], ...]",
})  # fmt: skip
"""The declared types of fields with tuples that contain nodes and other objects."""
_FIELDS: dict[type, tuple[tuple[str, bool], ...]] = {
    kind: tuple(
        (name, type_ in _MIXED) for name, type_ in kind.__annotations__.items() if type_ not in _PLAIN
    )
    for kind in vars(ir).values()
    if isinstance(kind, type) and issubclass(kind, Value)
}
"""The fields of each node type that contain nodes, and which of them are mixed."""
_LEAVES = frozenset(kind for kind, fields in _FIELDS.items() if not fields)
SCOPES = frozenset({ir.FunctionDef, ir.ClassDef, ir.Lambda})
"""Nodes with a scope of their own."""
_BACKWARDS = {kind: tuple(reversed(fields)) for kind, fields in _FIELDS.items()}
"""The fields with nodes, in reverse order."""


def _collect(values: tuple[object, ...], found: list[Node]) -> None:
    for value in values:
        if type(value) is tuple:
            _collect(value, found)
        elif type(value) in _FIELDS:  # the rest is the text of formats, and the names of comparisons
            found.append(value)  # type: ignore[arg-type]


def walk(roots: Iterable[Node], *, into_scopes: bool = False) -> Iterator[Node]:
    """Every node below the roots, and the roots; nested functions and classes only on request."""
    closed = _LEAVES if into_scopes else _LEAVES | SCOPES
    stack = list(roots)
    stack.reverse()
    while stack:
        node = stack.pop()
        yield node
        kind = type(node)
        if kind in closed:
            continue
        # Reversed, because a stack returns the last item first.
        for name, mixed in _BACKWARDS[kind]:
            value = getattr(node, name)
            if type(value) is not tuple:
                if value is not None:
                    stack.append(value)
            elif mixed:
                below: list[Node] = []
                _collect(value, below)
                stack += reversed(below)
            else:
                stack += value[::-1]


_KEPT = 50_000
"""The number of nodes in the cache."""


def once_a_node(work: Callable[[_N], _T]) -> Callable[[_N], _T]:
    """Cache a function of nodes by identity: nodes do not change, and are executed repeatedly."""
    known: dict[int, tuple[_N, _T]] = {}  # keeps the nodes alive, so that identities stay unique

    def found(node: _N) -> _T:
        entry = known.get(id(node))
        if entry is None:
            if len(known) >= _KEPT:
                known.clear()
            entry = known[id(node)] = (node, work(node))
        return entry[1]

    return found


def path(expression: ir.Expression) -> str:
    """`self.net.mask` for a chain of names, else the empty string."""
    if isinstance(expression, ir.Name):
        return expression.name
    names: list[str] = []
    while isinstance(expression, ir.Attribute):
        names.append(expression.name)
        expression = expression.value
    if not isinstance(expression, ir.Name):
        return ""
    names.append(expression.name)
    return ".".join(reversed(names))


LONGEST_TEXT = 48
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "neg": "-", "pos": "+",
    "invert": "~", "not": "not ", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
    "is": "is", "is_not": "is not", "in": "in", "not_in": "not in",
}  # fmt: skip


_OPERATORS = (ir.Binary, ir.Boolean, ir.Unary, ir.Compare, ir.Conditional)


@once_a_node
def text(expression: ir.Expression) -> str:
    """The expression on one line; long parts are replaced by `…`."""
    rendered = _render(expression, 4)
    return rendered if len(rendered) <= LONGEST_TEXT else rendered[: LONGEST_TEXT - 1] + "…"


def is_cut(written: str) -> bool:
    """Whether the text of an expression is shortened."""
    return "…" in written


def _render(node: ir.Expression | None, depth: int) -> str:
    if node is None or depth == 0:
        return "" if node is None else "…"
    deeper = depth - 1
    match node:
        case ir.Name(name=name):
            return name
        case ir.Constant(value=str(value)) if '"' not in value:
            return repr(value + "'")[:-2] + '"'
        case ir.Constant(value=value):
            return repr(value)
        case ir.Attribute(value=value, name=name):
            shown = _render(value, depth if isinstance(value, ir.Attribute) else deeper)
            return f"({shown}).{name}" if isinstance(value, _OPERATORS) else f"{shown}.{name}"
        case ir.CallExpression(function=function, arguments=arguments):
            return f"{_render(function, depth)}({', '.join(_argument(a, deeper) for a in arguments)})"
        case ir.Subscript(value=value, indices=indices):
            return f"{_render(value, depth)}[{', '.join(_render(index, deeper) for index in indices)}]"
        case ir.Slice(lower=lower, upper=upper, step=step):
            tail = f":{_render(step, deeper)}" if step else ""
            return f"{_render(lower, deeper)}:{_render(upper, deeper)}{tail}"
        case ir.Binary(operator=operator, left=left, right=right):
            before, after = _operand(node, left, deeper), _operand(node, right, deeper)
            return f"{before} {_SYMBOLS.get(operator, operator)} {after}"
        case ir.Boolean(operator=operator, left=left, right=right):
            return f"{_render(left, deeper)} {operator} {_render(right, deeper)}"
        case ir.Unary(operator=operator, operand=operand):
            return f"{_SYMBOLS.get(operator, operator)}{_render(operand, deeper)}"
        case ir.Compare(left=left, rest=rest):
            return _render(left, deeper) + "".join(f" {_SYMBOLS[op]} {_render(r, deeper)}" for op, r in rest)
        case ir.Sequence(shape=shape, elements=elements):
            inside = ", ".join(_render(element, deeper) for element in elements)
            comma = "," if shape is ir.Shape.TUPLE and len(elements) == 1 else ""
            return f"[{inside}]" if shape is ir.Shape.LIST else f"({inside}{comma})"
        case ir.Starred(value=value):
            return f"*{_render(value, deeper)}"
        case ir.Format():
            return 'f"…"'
        case _:
            return "…"


_BINDS = {"pow": 6, "mul": 5, "truediv": 5, "floordiv": 5, "mod": 5, "matmul": 5, "add": 4, "sub": 4}
"""How tightly operators bind; all others bind less."""


def _operand(operation: ir.Binary, operand: ir.Expression, depth: int) -> str:
    """An operand of a binary operator, in parentheses where its own operator binds less."""
    shown = _render(operand, depth)
    if isinstance(operand, ir.Binary):
        own, around = (_BINDS.get(each.operator, 3) for each in (operand, operation))
        return f"({shown})" if own < around or (own == around and operand is operation.right) else shown
    return f"({shown})" if isinstance(operand, (ir.Boolean, ir.Compare, ir.Conditional)) else shown


def _argument(argument: ir.Argument, depth: int) -> str:
    rendered = "*" * argument.stars + _render(argument.value, depth)
    return f"{argument.keyword}={rendered}" if argument.keyword else rendered
