"""What is worked out of an object and of those it leads to, kept until one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

from devlint.source.machine.domain.runs import LENGTH, Runs
from devlint.source.machine.domain.values import Cells, Object, Reference, Union, Value
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, Partial

_T = TypeVar("_T")

Structure: TypeAlias = Instance | Container | Partial | BoundMethod
"""What is known by what it holds, as far as it is known by anything but its identity."""
STRUCTURES = (Instance, Container, Partial, BoundMethod)


def derived(held: Object, work: Callable[[Object], _T]) -> _T:
    """What `work` makes of a structure. It may look at the structures to which that leads."""
    if held.memo is None:
        _watch(held)
        held.memo = {}
    if work not in held.memo:
        held.memo[work] = work(held)
    found: _T = held.memo[work]
    return found


def by_runs(held: Object, work: Callable[[Cells], _T]) -> list[_T]:
    """What `work` makes of an object's cells: of each run of them if it is wide, else of all at once. It may
    not look at the objects to which these lead."""
    if not is_wide(held):
        return [work(held.cells)]
    if held.runs is None or len(held.runs) != len(held.cells):
        held.runs = Runs(held.cells)
    return held.runs.each(held.cells, work)


def is_wide(held: Object) -> bool:
    """Whether an object has so many cells that what is worked out of them is kept for each run of them."""
    return len(held.cells) > LENGTH


def reached(held: Object) -> tuple[Object, ...]:
    """A structure and those to which it leads, each once, in an order that follows from what they hold."""
    return derived(held, _reached)


def forget(changed: Object) -> None:
    """Forget what was worked out of an object that has changed, and of those that lead to it."""
    stale = [changed]
    while stale:
        each = stale.pop()
        if each.holders is not None:
            stale += each.holders
        each.holders = each.memo = None
        if each is not changed and each.cells is changed.cells:
            each.runs = None


def structures(values: Iterable[Value]) -> list[Structure]:
    """The structures among some values and their alternatives."""
    found: list[Structure] = []
    for each in values:
        if type(each) is Reference:
            if isinstance(each.target, STRUCTURES):
                found.append(each.target)
        elif type(each) is Union:
            found += structures(each.alternatives)
    return found


def _reached(held: Object) -> tuple[Object, ...]:
    seen: dict[Object, None] = {}
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen[each] = None
            waiting += _led_to(each)
    return tuple(seen)


def _watch(held: Object) -> None:
    """Let each object to which one leads know who holds it."""
    if held.holders is not None:
        return
    held.holders = set()
    unseen = [held]
    while unseen:
        holder = unseen.pop()
        for each in _led_to(holder):
            if each.holders is None:
                each.holders = set()
                unseen.append(each)
            each.holders.add(holder)


def _led_to(held: Object) -> list[Structure]:
    """The structures to which an object leads at once."""
    match held:
        case Partial():
            return structures((held.callee, *held.arguments, *held.keywords.values()))
        case BoundMethod():
            return structures((held.receiver,))
        case Instance() if held.arguments:
            return [*_in_cells(held), *structures(held.arguments.values())]
        case _:
            return _in_cells(held)


def _in_cells(held: Object) -> list[Structure]:
    if not is_wide(held):
        return structures(held.cells.values())
    return [each for run in by_runs(held, _in_run) for each in run]


def _in_run(cells: Cells) -> list[Structure]:
    return structures(cells.values())
