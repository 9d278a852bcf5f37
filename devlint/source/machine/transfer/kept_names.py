"""The names that a closure keeps when the function around it returns on one of several paths."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.heap.derived import forget
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node, walk


def keep_names(machine: Interpreter, frame: Frame) -> None:
    """Keep the names of a path that returns for the closures that were created on it: the join with another
    path that returns would mix in the values that the names have there."""
    begun = machine.store.path_begun
    created = [each for each in frame.closures if each.number > begun]
    if not begun or not created or any(_rebinds(each.node) for each in frame.closures):
        return
    kept = Scope(frame.scope.outer, frame.scope.file)
    kept.cells, kept.redirected = {**frame.scope.cells}, frame.scope.redirected
    for each in created:
        forget(each)
        each.scope = kept


@once_a_node
def _rebinds(node: ir.FunctionDef | ir.Lambda) -> bool:
    """Whether a function assigns to names of the function around it, which others may read."""
    return any(isinstance(each, ir.Outer) and not each.is_global for each in walk((node,), into_scopes=True))


def note_closure(made: Function, frame: Frame) -> None:
    """Record a function that may read the names of the activation that creates it."""
    if frame.function is not None and made.scope is frame.scope:
        frame.closures.append(made)
