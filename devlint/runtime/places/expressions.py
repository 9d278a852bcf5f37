"""The program's names of the arguments of a call, from the text of its expression."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from devlint.model.syntax import expression_tree, module_tree


class TextExtent(NamedTuple):
    """An extent in a text: lines from 0, columns in characters from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


_CONVERSIONS = {
    "__float__": "float",
    "__int__": "int",
    "__bool__": "bool",
    "__index__": "range",
    "__complex__": "complex",
    "__len__": "len",
    "__contains__": "in",
    "__array__": "asarray",
    "__iter__": "iter",
    "__abs__": "abs",
    "__round__": "round",
    "__reversed__": "reversed",
    "__format__": "format",
    "__repr__": "print",
}
"""Methods that Python calls, and the functions by which a program calls them. If there is no call, the
expression is the operand itself: `if x.any():`."""


@lru_cache(maxsize=4096)
def operand_texts(text: str, operator: str) -> tuple[str, ...]:
    """The texts of an operator's positional operands, in the text of the expression that called it.

    `text` is the result of `Sites.text`. The result is empty if the expression is not that call, but the call
    of a module that called the operator, or a call with `*args`.
    """
    node = _parsed(text)
    name = operator.rpartition(".")[2]
    is_method = operator.startswith("torch.Tensor.")
    match node:
        case ast.BinOp(left=left, right=right):
            return _texts((right, left) if _is_reflected(name) else (left, right))
        case ast.AugAssign(target=target, value=value):
            return _texts((target, value))
        case ast.Compare(left=left, comparators=[right]):
            return _texts((right, left) if name == "__contains__" else (left, right))
        case ast.UnaryOp(operand=operand) if not (name == "__bool__" and isinstance(node.op, ast.USub)):
            return _texts((operand,))
        case ast.Subscript(value=value, slice=index) if name in ("__getitem__", "__setitem__"):
            return _texts((value, index))
        case ast.JoinedStr(values=values):
            shown = [part.value for part in values if isinstance(part, ast.FormattedValue)]
            return _texts(shown) if len(shown) == 1 else ()
        case ast.Call(func=function, args=args) if name != "__bool__" or _called(function) == "bool":
            return _of_call(function, args, name, is_method)
        case ast.expr() if name in _CONVERSIONS:
            return _texts((node,))
        case _:
            return ()


@lru_cache(maxsize=4096)
def keyword_texts(text: str) -> Mapping[str, str]:
    """The texts of a call's keyword arguments, by name."""
    node = _parsed(text)
    if not isinstance(node, ast.Call):
        return {}
    return {each.arg: ast.unparse(each.value) for each in node.keywords if each.arg is not None}


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """An expression in normalized layout, as operands are named; empty if the text is not an expression."""
    node = _parsed(text)
    return ast.unparse(node) if node is not None else ""


@lru_cache(maxsize=4096)
def names_in(text: str) -> tuple[str, ...]:
    """The names of variables in an expression, in textual order."""
    node = _parsed(text)
    return tuple(each.id for each in ast.walk(node) if isinstance(each, ast.Name)) if node is not None else ()


@lru_cache(maxsize=64)
def chains(filename: str) -> Mapping[tuple[int, int], tuple[int, int]]:
    """The calls of methods of a file that take several lines: by the line and column of their ends, those of
    the beginnings of their receivers. Lines are counted from 1, columns in bytes from 0."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    with suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.walk(module_tree("".join(linecache.getlines(filename)))):
            match node:
                case ast.Call(func=ast.Attribute(), end_lineno=int(last), end_col_offset=int(end)) if (
                    last > node.lineno
                ):
                    found[last, end] = node.lineno, node.col_offset
    return found


@lru_cache(maxsize=4096)
def names_beside(text: str, part: str) -> tuple[str, ...] | None:
    """The names from which an expression computes its value, besides one call that is a part of it. None if
    it does not contain the call, is nothing else, or reads an attribute, which may be any value."""
    node, wanted = _parsed(text), plain(part)
    if not isinstance(node, ast.expr) or not wanted or ast.unparse(node) == wanted:
        return None
    names: list[str] = []
    contains, waiting = False, [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Call) and ast.unparse(each) == wanted:
            contains = True
            continue
        match each:
            case ast.Attribute():
                return None
            case ast.Name(id=name):
                names.append(name)
        waiting.extend(_read_by(each))
    return tuple(names) if contains else None


def _read_by(node: ast.expr) -> list[ast.expr]:
    """The expressions whose values another one reads: of a called method, its object."""
    if not isinstance(node, ast.Call):
        return [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return [*receiver, *node.args, *(each.value for each in node.keywords)]


@lru_cache(maxsize=4096)
def first_called(text: str) -> str:
    """The function with whose result an expression begins: `torch.FloatTensor` in
    `torch.FloatTensor(x).unsqueeze(0)`. Empty if it begins with another expression."""
    node: ast.AST | None = _parsed(text)
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=(ast.Call() | ast.Subscript()) as inner)):
                node = inner
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=(ast.Attribute() | ast.Name()) as function):
                return ast.unparse(function)
            case _:
                return ""


def part_of(text: str, operand: str) -> TextExtent | None:
    """The extent of an operand in the text of an expression; the outermost of several; None without any."""
    node, wanted = _parsed(text), plain(operand)
    if node is None or not wanted:
        return None
    parts = (part for part in ast.walk(node) if isinstance(part, ast.expr) and ast.unparse(part) == wanted)
    part = next(parts, None)
    if part is None or part.end_lineno is None or part.end_col_offset is None:
        return None
    lines = text.split("\n")
    line, end_line = part.lineno - 1, part.end_lineno - 1
    column = _characters(lines[line], part.col_offset)
    return TextExtent(line, column, end_line, _characters(lines[end_line], part.end_col_offset))


def _characters(line: str, offset: int) -> int:
    """A column in characters, from one in bytes of UTF-8."""
    return len(line.encode()[:offset].decode())


def _of_call(function: ast.expr, args: Sequence[ast.expr], name: str, is_method: bool) -> tuple[str, ...]:
    if any(isinstance(argument, ast.Starred) for argument in args):
        return ()
    if name in _CONVERSIONS:
        return _texts(args) if len(args) == 1 else ()
    if _called(function) != name:
        return ()
    if is_method and isinstance(function, ast.Attribute):
        return _texts((function.value, *args))
    return _texts(args)


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_reflected(name: str) -> bool:
    return name.startswith("__r") and name not in ("__rshift__", "__round__", "__repr__", "__reversed__")


def _texts(nodes: Sequence[ast.expr]) -> tuple[str, ...]:
    return tuple(ast.unparse(node) for node in nodes)


def _parsed(text: str) -> ast.expr | ast.AugAssign | None:
    """The expression of a text; for a statement, the expression that it evaluates."""
    with suppress(SyntaxError, ValueError, RecursionError):
        body = module_tree(text).body
        if len(body) == 1:
            return _evaluated(body[0])
    if "\n" not in text.strip():
        return None
    with suppress(SyntaxError, ValueError, RecursionError):
        # Its line breaks were inside of parentheses around it.
        return ast.increment_lineno(expression_tree(f"(\n{text}\n)"), -1)
    return None


def _evaluated(statement: ast.stmt) -> ast.expr | ast.AugAssign | None:
    match statement:
        case ast.AugAssign():
            return statement
        case ast.Expr(value=value) | ast.Assign(value=value):
            return value
        case ast.Return(value=value) | ast.AnnAssign(value=value):
            return value
        case _:
            return None
