"""The places that a script adds to `sys.path`, read from its syntax tree."""

from __future__ import annotations

import ast
import os.path
from collections.abc import Iterator, Sequence

_SAME = frozenset({"abspath", "realpath", "normpath", "fspath", "str", "Path", "PurePath"})
"""Functions of a path that give the same place."""
_SAME_METHODS = frozenset({"resolve", "absolute", "as_posix"})
_ADDING = {"append": 0, "insert": 1}
"""The methods of `sys.path` that add a directory, and the position of that argument."""
_DEEPEST = 12
"""The depth of nested expressions beyond which their places are not known."""


def places_added(text: str, path: str) -> list[str]:
    """The directories, whether or not they exist; none if the text is not valid Python."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    script = _Script(path, body)
    found = (script.place(each) for each in script.added(body))
    return list(dict.fromkeys(each for each in found if each is not None))


class _Script:
    """A script's names, and the places that its expressions mean."""

    def __init__(self, path: str, body: Sequence[ast.stmt]) -> None:
        self._path = path
        self._names: dict[str, ast.expr] = {}
        self._adders: dict[str, int] = {}
        """The functions that add an argument to `sys.path`, and its position."""
        for each in _executed(body):
            if isinstance(each, ast.Assign) and len(each.targets) == 1:
                target = each.targets[0]
                if isinstance(target, ast.Name):
                    self._names[target.id] = each.value
            elif isinstance(each, ast.FunctionDef):
                self._note_adder(each)

    def added(self, body: Sequence[ast.stmt]) -> Iterator[ast.expr]:
        """The expressions of what is added to `sys.path`."""
        for statement in _executed(body):
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
                continue
            call = statement.value
            position = _position(call)
            if position is None and isinstance(call.func, ast.Name):
                position = self._adders.get(call.func.id)
            if position is not None and position < len(call.args):
                yield call.args[position]

    def _note_adder(self, function: ast.FunctionDef) -> None:
        parameters = [each.arg for each in function.args.args]
        for call in ast.walk(function):
            if not isinstance(call, ast.Call):
                continue
            position = _position(call)
            if position is None or position >= len(call.args):
                continue
            added = call.args[position]
            if isinstance(added, ast.Name) and added.id in parameters:
                self._adders[function.name] = parameters.index(added.id)

    def place(self, expression: ast.expr, depth: int = 0) -> str | None:
        """The place that an expression means; None if that is not known."""
        text = self._spelled(expression, depth)
        if text is None:
            return None
        return os.path.normpath(os.path.join(os.path.dirname(self._path), text))  # noqa: PTH118, PTH120

    def _spelled(self, expression: ast.expr, depth: int) -> str | None:
        if depth > _DEEPEST:
            return None
        match expression:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id="__file__"):
                return self._path
            case ast.Name(id=name) if name in self._names:
                return self._spelled(self._names[name], depth + 1)
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as operator, right=right):
                return self._put_together(left, right, depth, slash=isinstance(operator, ast.Div))
            case ast.Attribute(value=below, attr="parent"):
                return self._above(below, 1, depth)
            case ast.Subscript(
                value=ast.Attribute(value=below, attr="parents"), slice=ast.Constant(value=int(up))
            ):
                return self._above(below, up + 1, depth)
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id="sys"), attr="path"), slice=ast.Constant(value=0)
            ):
                return "."
            case ast.Call():
                return self._called(expression, depth)
            case _:
                return None

    def _put_together(self, left: ast.expr, right: ast.expr, depth: int, *, slash: bool) -> str | None:
        parts = [self._spelled(each, depth + 1) for each in (left, right)]
        known = [each for each in parts if each is not None]
        if len(known) < len(parts):
            return None
        return os.path.join(*known) if slash else "".join(known)  # noqa: PTH118

    def _above(self, expression: ast.expr, levels: int, depth: int) -> str | None:
        place = self.place(expression, depth + 1)
        for _ in range(levels):
            place = None if place is None else os.path.dirname(place)  # noqa: PTH120
        return place

    def _called(self, call: ast.Call, depth: int) -> str | None:
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _SAME_METHODS and isinstance(function, ast.Attribute) and not call.args:
            return self._spelled(function.value, depth + 1)
        if name == "getcwd":
            return "."
        if name in _SAME and len(call.args) == 1:
            return self._spelled(call.args[0], depth + 1)
        if name == "dirname" and len(call.args) == 1:
            return self._above(call.args[0], 1, depth)
        parts = [self._spelled(each, depth + 1) for each in call.args]
        known = [each for each in parts if each is not None]
        if name == "join" and known and len(known) == len(parts):
            return os.path.join(*known)  # noqa: PTH118
        return None


def _position(call: ast.Call) -> int | None:
    """For a call of `sys.path.append` or `insert`, the position of what is added."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sys"), attr="path"), attr=name):
            return _ADDING.get(name)
        case _:
            return None


def _executed(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a file is imported or started, including those in branches."""
    for each in body:
        yield each
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(each, name, None)
            if isinstance(inner, list) and not isinstance(
                each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            ):
                yield from _executed(inner)
