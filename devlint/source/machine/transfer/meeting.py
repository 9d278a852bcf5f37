"""The end of a branch: where its paths meet."""

from __future__ import annotations

from devlint.source.machine.domain.lattice import join
from devlint.source.machine.domain.values import Value, alternatives
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.interpreter import Interpreter

_LEAVES_THE_TURN = (End.BREAK, End.CONTINUE)


def meet(machine: Interpreter, left: tuple[End, Changes], right: tuple[End, Changes], frame: Frame) -> End:
    """Join the states of two paths.

    A path that raises does not reach the join. One that returns or leaves the turn of a loop keeps its local
    names, but its changes of objects remain visible. The names of the latter are joined at the end of the
    turn. What a test has shown about objects holds in the rest of a function whose other path returns.
    """
    (one, then), (other, orelse) = left, right
    if one is End.RAISE:
        machine.store.apply(orelse)
        return other
    if other is End.RAISE:
        machine.store.apply(then)
        return one
    if one is End.RETURN and other is not End.RETURN:
        _keep_narrowed(orelse, then, frame)
        machine.store.merge(orelse, then, local=frame.scope)
        return other
    if other is End.RETURN and one is not End.RETURN:
        _keep_narrowed(then, orelse, frame)
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


def _keep_narrowed(going: Changes, returned: Changes, frame: Frame) -> None:
    """Keep the attributes of objects narrowed that a test has narrowed, until the function ends: on the path
    that has returned they hold the other alternatives, and no more."""
    for place, (target, key, before, after) in going.items():
        if target is frame.scope or before is None or not _is_part(after, before):
            continue
        _, _, _, left = returned.get(place, (target, key, before, before))
        if _is_part(left, before) or left is before:
            returned[place] = (target, key, before, after)
            frame.narrowed.append((target, key, before, after))


def _is_part(held: Value | None, whole: Value) -> bool:
    """Whether a value is some of the alternatives of another one."""
    if held is None or held is whole:
        return False
    known = {*map(id, alternatives(whole))}
    return all(id(each) in known for each in alternatives(held))


def widen_again(machine: Interpreter, frame: Frame) -> None:
    """At the end of a function, give the attributes of objects that its tests have narrowed all their
    alternatives again: a caller goes on from each of its returns."""
    for target, key, before, after in reversed(frame.narrowed):
        if target.cells.get(key) is after:
            machine.store.write(target, key, before)


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
