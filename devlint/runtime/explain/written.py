"""The source text at an error: the expression, and the names in it.

Names are looked up in variables, in `__dict__` and in built-in containers, so that no code of the program
runs.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import cast

from devlint.model.syntax import module_tree
from devlint.runtime.explain.tensors import attributes_of, is_module, items_of, within
from devlint.runtime.places.expressions import chains
from devlint.runtime.places.sites import shown_path

MISSING = object()
"""The value of an expression that cannot be determined without running code."""

_REGISTRIES = ("_parameters", "_buffers", "_modules")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The expressions that are the arguments of a torch function, in the order of its parameters."""

    positional: tuple[ast.expr, ...] = ()
    keyword: dict[str, ast.expr] = field(default_factory=dict)


@dataclass(slots=True)
class WrittenExpression:
    """The expression that a frame executes. It keeps the frame's variables alive, so drop it soon."""

    node: ast.AST | None
    source: str
    path: str
    """The path of the file, as reports show it."""
    variables: dict[str, object]
    globals: dict[str, object]
    parameters: frozenset[str]
    """The names of the function's parameters."""
    exact: bool = True
    """Whether the node is the expression itself. Python 3.10 only knows the line, and thereby the
    statement."""

    @classmethod
    def at(cls, frame: FrameType, instruction: int) -> WrittenExpression:
        """The expression at an instruction of a frame; without a node if there is no source text."""
        code = frame.f_code
        source = "".join(linecache.getlines(code.co_filename, frame.f_globals))
        count = code.co_argcount + code.co_kwonlyargcount
        return cls(
            node=_node(source, code, instruction),
            path=shown_path(code.co_filename),
            source=source,
            variables=dict(frame.f_locals),
            globals=frame.f_globals,
            parameters=frozenset(code.co_varnames[:count]),
            exact=hasattr(code, "co_positions"),
        )

    def text(self, node: ast.expr) -> str:
        """The source text of a part of the expression, on one line."""
        return " ".join((ast.get_source_segment(self.source, node) or ast.unparse(node)).split())

    def place(self) -> str:
        """The place of the expression: `train.py:31:12`; empty if unknown."""
        if not isinstance(self.node, ast.expr | ast.stmt):
            return ""
        line = self.source.splitlines()[self.node.lineno - 1]
        before = line.encode()[: self.node.col_offset].decode(errors="replace")
        return f"{self.path}:{self.node.lineno}:{len(before) + 1}"

    def whole(self) -> str:
        """The source text of the whole expression; empty if there is none, or for a statement."""
        return self.text(self.node) if isinstance(self.node, ast.expr) else ""

    def name_of(self, value: object) -> str:
        """The first name, attribute or element in the expression with this value; empty without one."""
        return next((self.text(part) for part in self._paths() if self.value_of(part) is value), "")

    def text_for(self, node: ast.expr | None, suffix: str, value: object) -> str:
        """The source text of an argument or of an item of it; empty if it is known to have another value."""
        if node is None:
            return ""
        if isinstance(node, ast.Constant):
            return self.text(node)
        if suffix and isinstance(node, ast.List | ast.Tuple):
            position, _, rest = suffix[1:].partition("]")
            stars = any(isinstance(each, ast.Starred) for each in node.elts)
            if stars or not position.isdecimal() or int(position) >= len(node.elts):
                return ""
            return self.text_for(node.elts[int(position)], rest, value)
        known = dict(within(self.value_of(node))).get(suffix, MISSING)
        believed = known is value or (known is MISSING and self.exact)
        return self.text(node) + suffix if believed else ""

    def is_argument(self, value: object) -> bool:
        """Whether a value is an argument of the function."""
        return any(self.variables.get(name) is value for name in self.parameters)

    def arguments(self, operator: str) -> Arguments:
        """The arguments of a torch function, if the expression is a call of that function."""
        for node in self._candidates():
            found = _arguments(node, operator)
            if found is not None:
                return found
        return Arguments()

    def call_arguments(self) -> Arguments:
        """The arguments of the call, whichever function it calls."""
        node = self.node
        if not isinstance(node, ast.Call):
            return Arguments()
        return Arguments(tuple(node.args), {each.arg: each.value for each in node.keywords if each.arg})

    def argument_values(self) -> tuple[tuple[object, ...], dict[str, object]]:
        """The values of the arguments of the call, as far as they can be determined."""
        arguments = self.call_arguments()
        keyword = {name: self.value_of(node) for name, node in arguments.keyword.items()}
        return tuple(self.value_of(node) for node in arguments.positional), keyword

    def callee(self) -> str:
        """The full name of the called function: `numpy.asarray`; empty if unknown."""
        match self.node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)):
                module = self.value_of(owner)
                return f"{module.__name__}.{name}" if type(module) is ModuleType else ""
            case ast.Call(func=ast.Name() as function):
                found = self.value_of(function)
                return f"{found.__module__}.{found.__qualname__}" if type(found) is FunctionType else ""
            case _:
                return ""

    def new_callee(self) -> str:
        """The called object if the same expression creates it: `nn.Linear(4, 4)` in `nn.Linear(4, 4)(x)`."""
        match self.node:
            case ast.Call(func=ast.Call() as made):
                return self.text(made)
            case _:
                return ""

    def value_of(self, node: ast.expr) -> object:
        """The value of a part of the expression, or `MISSING`."""
        match node:
            case ast.Name(id=name):
                return self.variables.get(name, self.globals.get(name, MISSING))
            case ast.Attribute(value=owner, attr=name):
                return _attribute(self.value_of(owner), name)
            case ast.Subscript(value=owner, slice=index):
                return _element(self.value_of(owner), self.value_of(index))
            case ast.Constant(value=constant):
                return constant
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                return -number
            case _:
                return MISSING

    def _paths(self) -> Iterator[ast.expr]:
        if self.node is None:
            return
        for part in ast.walk(self.node):
            if isinstance(part, ast.Name | ast.Attribute | ast.Subscript):
                yield part

    def _candidates(self) -> Iterator[ast.AST]:
        """The expression, or the calls in the statement if only that is known, because calls have names."""
        if self.exact and self.node is not None:
            yield self.node
        elif self.node is not None:
            yield from (part for part in ast.walk(self.node) if isinstance(part, ast.Call))


def _node(source: str, code: CodeType, instruction: int) -> ast.AST | None:
    """The expression at an instruction, else the innermost statement.

    For an assignment to an index, Python reports the position of the target; the statement is returned.
    Python 3.10 only knows lines, so there it is always the statement.
    """
    try:
        tree = module_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    positions = getattr(code, "co_positions", None)
    span = next(islice(positions(), instruction // 2, None), None) if positions is not None else None
    if span is None or None in span:
        line = next((number for begin, end, number in code.co_lines() if begin <= instruction < end), None)
        return None if line is None else _statement(tree, line, line)
    first, last, start, end = span
    begin = chains(code.co_filename).get((last, end), (first, start)) if last is not None else None
    expression = next(
        (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.expr)
            and (node.end_lineno, node.end_col_offset) == (last, end)
            and (node.lineno, node.col_offset) in ((first, start), begin)
        ),
        None,
    )
    if expression is None or isinstance(getattr(expression, "ctx", None), ast.Store):
        return _statement(tree, first, last)
    return expression


def _statement(tree: ast.Module, first: int, last: int) -> ast.stmt | None:
    """The innermost simple statement with these lines, counted from 1."""
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= first and last <= (node.end_lineno or node.lineno):
            found = node
    return None if found is None or hasattr(found, "body") else found


def _arguments(node: ast.AST, operator: str) -> Arguments | None:
    owner, _, last = operator.rpartition(".")
    is_method = owner.endswith("Tensor")
    match node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name == last and is_method:
            return _of_call(node, (receiver,))
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name == last:
            return _of_call(node, ())
        case ast.BinOp(left=left, right=right):
            return Arguments(_in_order(left, right, last))
        case ast.Compare(left=left, comparators=[right]):
            return Arguments(_in_order(left, right, last))
        case ast.AugAssign(target=target, value=value):
            return Arguments((target, value))
        case ast.Assign(targets=[ast.Attribute(value=target)], value=value):
            return Arguments((target, value))
        case ast.Assign(targets=[ast.Subscript(value=target, slice=index)], value=value):
            return Arguments((target, index, value))
        case ast.Subscript(value=target, slice=index):
            return Arguments((target, index))
        case ast.UnaryOp(operand=operand):
            return Arguments((operand,))
        case _:
            return None


def _of_call(node: ast.Call, first: tuple[ast.expr, ...]) -> Arguments:
    """The arguments before the first star; later positions are unknown."""
    positional = list(first)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            break
        positional.append(argument)
    return Arguments(tuple(positional), {each.arg: each.value for each in node.keywords if each.arg})


def _in_order(left: ast.expr, right: ast.expr, method: str) -> tuple[ast.expr, ast.expr]:
    """The operands in the order of the method's parameters: `1 - x` is `x.__rsub__(1)`."""
    reflected = method.startswith("__r") and method not in ("__rshift__", "__round__")
    return (right, left) if reflected else (left, right)


def _attribute(owner: object, name: str) -> object:
    own = attributes_of(owner)
    if name in own:
        return own[name]
    for registry in _REGISTRIES if is_module(owner) else ():
        for step, value in items_of(own.get(registry)):
            if step == f"[{name!r}]":
                return value
    return MISSING


def _element(owner: object, key: object) -> object:
    """An element of a built-in container, or of `nn.ModuleList`, `nn.Sequential` or `nn.ModuleDict`."""
    if type(key) not in (int, str):
        return MISSING
    if is_module(owner):
        children = dict(items_of(attributes_of(owner).get("_modules")))
        if type(key) is int:
            return dict(enumerate(children.values())).get(key % max(len(children), 1), MISSING)
        return children.get(f"[{key!r}]", MISSING)
    elements: dict[object, object] = {}
    if type(owner) is dict:
        elements = owner
    elif type(owner) in (list, tuple):
        items = cast("list[object] | tuple[object, ...]", owner)
        elements.update(enumerate(items))
        elements.update((place - len(items), item) for place, item in enumerate(items))
    return elements.get(key, MISSING)
