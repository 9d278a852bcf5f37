"""The end of a branch: where its paths meet."""

from __future__ import annotations

from devlint.source.machine.domain.lattice import join
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.interpreter import Interpreter

_LEAVES_THE_TURN = (End.BREAK, End.CONTINUE)


def meet(machine: Interpreter, left: tuple[End, Changes], right: tuple[End, Changes], frame: Frame) -> End:
    """Join the states of two paths.

    A path that raises does not reach the join. One that returns or leaves the turn of a loop keeps its local
    names, but its changes of objects remain visible. The names of the latter are joined at the end of the
    turn.
    """
    (one, then), (other, orelse) = left, right
    if one is End.RAISE:
        machine.store.apply(orelse)
        return other
    if other is End.RAISE:
        machine.store.apply(then)
        return one
    if one is End.RETURN and other is not End.RETURN:
        machine.store.merge(orelse, then, local=frame.scope)
        return other
    if other is End.RETURN and one is not End.RETURN:
        machine.store.merge(then, orelse, local=frame.scope)
        return one
    if one in _LEAVES_THE_TURN and other is End.NEXT:
        _set_aside(then, frame)
        machine.store.merge(orelse, then, local=frame.scope)
        return other
    if other in _LEAVES_THE_TURN and one is End.NEXT:
        _set_aside(orelse, frame)
        machine.store.merge(then, orelse, local=frame.scope)
        return one
    machine.store.merge(then, orelse)
    return one if one is other else End.NEXT


def _set_aside(changes: Changes, frame: Frame) -> None:
    frame.aside += (
        (key, after)
        for target, key, _, after in changes.values()
        if target is frame.scope and after is not None
    )


def join_aside(machine: Interpreter, frame: Frame) -> None:
    """Join the names of paths that have left a turn of a loop with those at its end."""
    for name, held in frame.aside:
        known = frame.scope.cells.get(name)
        machine.store.write(frame.scope, name, held if known is None else join(known, held))
    frame.aside.clear()
