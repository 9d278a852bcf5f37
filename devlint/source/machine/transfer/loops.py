"""Loops: executed turn by turn if the turns are known, else until the state is stable."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from devlint.source import ir
from devlint.source.machine.domain.lattice import MOST_ALTERNATIVES, alike, join_all, widen
from devlint.source.machine.domain.loops import Loop, Turn, is_inside
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.values import OVERFLOW, STRING, TOP, Known, Scalar, Tensor, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.machine import Elements
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.assignments import assign
from devlint.source.machine.transfer.branches import narrow
from devlint.source.machine.transfer.counters import count_on
from devlint.source.machine.transfer.drawing import Draw, drawn
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.execution_context import looping
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.meeting import join_aside, meet
from devlint.source.machine.transfer.paths import test_of
from devlint.source.walk import Node, once_a_node, walk

_UNROLLED = 8
"""Sequences of known elements up to this length are iterated over element by element."""
_NODES_UNROLLED = 4096
"""Longer ones are, too, if the number of nodes executed in all turns does not exceed this."""
_TURNS = 2
"""The number of turns that are executed of a loop with unknown turns."""


def run_for(machine: Interpreter, node: ir.For, frame: Frame) -> End:
    """`for target in iterable`."""
    iterable = machine.evaluate(node.iterable, frame)
    with looping(machine, node, None, frame) as loop:
        loop.starting = True
        elements = machine.elements(iterable, frame, node.iterable)
        loop.starting = False
        loop.drew = loop.drew or elements.drew
        exact = elements.exact and is_unrolled(len(elements.items), node.body)
        items = elements.items if exact else [_any_of(elements.items)] * _TURNS
        loop.turns, loop.most = number_of_turns(elements), _most_turns(elements)
        loop.names, loop.constant = names_bound(node), _constant(node)
        draw = Draw(items[:1]) if elements.drew and not exact else None
        end = _turn(machine, node, frame, items, exact=exact, draw=draw) if elements.items else End.NEXT
    if end is not End.NEXT:
        return End.NEXT if end is End.BREAK else end
    return _otherwise(machine, node, loop, frame)


def _is_written(node: ir.For | ir.While) -> bool:
    """Whether constants alone say how many turns a loop has: another number may come from a setting."""
    iterable = node.iterable if isinstance(node, ir.For) else node.test
    return not any(isinstance(each, ir.Name) and each.name != "range" for each in walk((iterable,)))


def number_of_turns(elements: Elements) -> int | None:
    """The number of turns of a loop, which is not known if an option says it: it may be more than the
    default."""
    by_option = any(isinstance(each, Option) for each in elements.items)
    return len(elements.items) if elements.exact and not by_option else None


def _most_turns(elements: Elements) -> int | None:
    """An upper bound of the number of turns: that of the last number of `range(min(4, n))`."""
    last = elements.items[-1] if elements.items else None
    return last.most if isinstance(last, Scalar) else None


def _otherwise(machine: Interpreter, node: ir.For, loop: Loop, frame: Frame) -> End:
    """Execute the `else` of a loop, which one that was left by a `break` does not reach."""
    if not loop.was_left or not node.orelse:
        return machine.run_block(node.orelse, frame)
    machine.store.begin()
    machine.optional += 1
    end = machine.run_block(node.orelse, frame)
    machine.optional -= 1
    return meet(machine, (End.NEXT, Changes()), (end, machine.store.end()), frame)


@once_a_node
def names_bound(node: ir.For | ir.CompFor) -> frozenset[str]:
    """The names that each turn binds to an element."""
    return frozenset(each.name for each in walk((node.target,)) if isinstance(each, ir.Name))


@once_a_node
def _constant(node: ir.For) -> frozenset[int]:
    """The identities of the statements before any that may go on with the next turn."""
    before = takewhile(lambda each: not any(isinstance(one, ir.Leave) for one in walk((each,))), node.body)
    return frozenset(map(id, before))


def is_unrolled(turns: int, body: Iterable[Node]) -> bool:
    """Whether the turns are executed one by one, each with its own element."""
    if turns <= _UNROLLED:
        return True
    return turns <= _NODES_UNROLLED and turns * sum(1 for _ in walk(body)) <= _NODES_UNROLLED


def _any_of(items: list[Value]) -> Value:
    """The join of all items; of the first ones if there are more than are distinguished. Of texts, which may
    be the keys of what the loop changes, none is left out."""
    joined = join_all(items)
    if joined != OVERFLOW:
        return joined
    are_texts = all(isinstance(each, Known) and isinstance(each.value, str) for each in items)
    return STRING if are_texts else join_all(items[:MOST_ALTERNATIVES])


def run_while(machine: Interpreter, node: ir.While, frame: Frame) -> End:
    """`while test`."""
    with looping(machine, node, None, frame):
        test = test_of(machine, node.test, frame)
        if machine.truth(test) is False and not isinstance(test, Tensor):
            return machine.run_block(node.orelse, frame)
        narrow(machine, node.test, frame, taken=True)
        end = _turn(machine, node, frame, [TOP] * _TURNS, exact=False)
        end = End.NEXT if end is End.BREAK else end
        if end is End.NEXT and not isinstance(node.test, ir.Constant):
            test_of(machine, node.test, frame)
        return end


def _turn(
    machine: Interpreter,
    node: ir.For | ir.While,
    frame: Frame,
    items: list[Value],
    *,
    exact: bool,
    draw: Draw | None = None,
) -> End:
    """Execute the body once for each item; a loop with unknown turns until the state is stable."""
    outer, frame.aside = frame.aside, []
    try:
        return _turns(machine, node, frame, items, exact=exact, draw=draw)
    finally:
        frame.aside = outer


def _turns(
    machine: Interpreter,
    node: ir.For | ir.While,
    frame: Frame,
    items: list[Value],
    *,
    exact: bool,
    draw: Draw | None,
) -> End:
    loop = machine.execution.loop
    assert loop is not None
    count_on(machine, node, frame)
    for number, item in enumerate(items):
        before, loop.turn = loop.turn, Turn(is_first=not number and not exact)
        if not exact:
            machine.store.begin()
        if draw is not None and number:
            draw.repeat(machine)
        if isinstance(node, ir.For):
            assign(machine, node.target, drawn(machine, item), frame)
        end = machine.run_block(node.body, frame)
        join_aside(machine, frame)
        changes = Changes() if exact else machine.store.keep()
        leaves = not number and end in (End.BREAK, End.RETURN) and not _goes_on(node)
        loop.single = leaves or (loop.turns == 1 and _is_written(node))
        if end in (End.RETURN, End.RAISE):
            return end if exact or isinstance(node, ir.While) else End.NEXT
        if end is End.BREAK and (exact or not number):
            return end
        if end is End.BREAK:
            break
        if number:
            loop.renewed |= before.renewed(loop.turn)
        if number and not exact and not machine.is_exhausted() and not _alternates(changes):
            loop.first = before.alone(loop.turn)
        goes_on = exact or widened(machine, changes)
        if loop.turn.skips:
            items.append(item)
        elif not goes_on:
            break
        if machine.is_exhausted():
            break
    return End.NEXT


@once_a_node
def _goes_on(node: ir.For | ir.While) -> bool:
    """Whether some path of a loop's body may start the next turn before its end."""
    return any(isinstance(each, ir.Leave) and each.keyword == "continue" for each in walk(node.body))


def _alternates(changes: Changes) -> bool:
    """Whether a turn has changed a constant, so that the next turn may be like the one before."""
    return any(
        isinstance(before, Known) and after is not None and not alike(before, after)
        for _, _, before, after in changes.values()
    )


def widened(machine: Interpreter, changes: Changes) -> bool:
    """Widen what a turn has changed. Returns whether another turn may find other values."""
    differs = False
    for target, key, before, after in changes.values():
        if (
            before is None
            and isinstance(target, Container)
            and not is_inside(target.born, machine.execution.loop)
        ):
            differs = True  # the next turn finds an entry that this one has missed
        if before is None or after is None or alike(before, after):
            continue
        wide = widen(before, after)
        if not alike(wide, after):
            machine.store.write(target, key, wide)
        differs = True
    return differs
