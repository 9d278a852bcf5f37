"""Closures: what a function defined in another function reads of the names of those around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.source import ir
from devlint.source.machine.domain.values import Object, Value
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.walk import once_a_node, walk


def captured(function: Function) -> Iterator[tuple[Scope, str, Value]]:
    """The names of the activations around a function that it may read, with their present values."""
    if not function.is_closure:
        return
    scopes = [each for each in activations(function.scope) if each.owner is None]
    for name in _names(function.node):
        for scope in scopes:
            if name in scope.cells:
                yield scope, name, scope.cells[name]
                break


def activations(scope: Scope | None) -> Iterator[Scope]:
    """A scope and those around it, without that of the file."""
    while scope is not None and scope.outer is not None:
        yield scope
        scope = scope.outer


def activations_of(objects: Iterable[Object]) -> list[Scope]:
    """The activations around each of the functions among some objects."""
    return [scope for each in objects if isinstance(each, Function) for scope in activations(each.scope)]


@once_a_node
def _names(node: ir.FunctionDef | ir.Lambda) -> tuple[str, ...]:
    """The names in a function and in those inside of it, except its parameters."""
    own = {each.name for each in node.parameters}
    found: dict[str, None] = {}
    for each in walk((node,), into_scopes=True):
        if isinstance(each, ir.Name):
            found[each.name] = None
        elif isinstance(each, ir.Outer):
            found.update(dict.fromkeys(each.names))
    return tuple(name for name in found if name not in own)
