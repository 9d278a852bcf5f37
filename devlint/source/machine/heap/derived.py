"""Data derived from an object and from the objects reachable from it, cached until one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias, TypeGuard, TypeVar

from devlint.source.machine.domain.runs import LENGTH, Runs
from devlint.source.machine.domain.values import Cells, Object, Reference, Union, Value
from devlint.source.machine.heap.closures import activations, captured
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, Partial

_T = TypeVar("_T")

Structure: TypeAlias = Instance | Container | Partial | BoundMethod | Function
"""An object that is described by its contents, and not by its identity. A closure is described by the names
that it may read of the functions around it."""
_STRUCTURES = (Instance, Container, Partial, BoundMethod)


def is_structure(held: Object) -> TypeGuard[Structure]:
    """Whether an object is described by its contents."""
    return isinstance(held, _STRUCTURES) or (isinstance(held, Function) and held.is_closure)


def derived(held: Object, work: Callable[[Object], _T]) -> _T:
    """The cached result of `work` for a structure. `work` may read the structures to which it refers."""
    if held.memo is None:
        _watch(held)
        held.memo = {}
    if work not in held.memo:
        held.memo[work] = work(held)
    found: _T = held.memo[work]
    return found


def by_runs(held: Object, work: Callable[[Cells], _T]) -> list[_T]:
    """The cached result of `work` for an object's cells: for each run of them if it is wide, else for all.

    `work` must not read the objects to which the cells refer.
    """
    if not is_wide(held):
        return [work(held.cells)]
    if held.runs is None or len(held.runs) != len(held.cells):
        held.runs = Runs(held.cells)
    return held.runs.each(held.cells, work)


def is_wide(held: Object) -> bool:
    """Whether an object has so many cells that their derived data are kept for each run."""
    return len(held.cells) > LENGTH


def reached(held: Object) -> tuple[Object, ...]:
    """A structure and all reachable from it, each once, in an order that depends only on their contents."""
    return derived(held, _graph).objects


def links(held: Object) -> tuple[int, ...]:
    """For each structure that is reached, the positions of those to which it refers: which are shared."""
    return derived(held, _graph).links


def forget(changed: Object) -> None:
    """Discard the data derived from an object that has changed, and from those that refer to it."""
    stale = [changed]
    while stale:
        each = stale.pop()
        if each.holders is not None:
            stale += each.holders
        each.holders = each.memo = None
        if each is not changed and each.cells is changed.cells:
            each.runs = None


def structures(values: Iterable[Value]) -> list[Structure]:
    """The structures that some values, or their alternatives, refer to."""
    found: list[Structure] = []
    for each in values:
        if type(each) is Reference:
            if is_structure(each.target):
                found.append(each.target)
        elif type(each) is Union:
            found += structures(each.alternatives)
    return found


class _Graph(NamedTuple):
    """The structures that are reached, and their links."""

    objects: tuple[Object, ...]
    links: tuple[int, ...]


def _graph(held: Object) -> _Graph:
    places: dict[Object, int] = {}
    targets: list[Structure] = []
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if each not in places:
            places[each] = len(places)
            led_to = _led_to(each)
            targets += led_to
            waiting += led_to
    return _Graph(tuple(places), tuple(places[each] for each in targets))


def _watch(held: Object) -> None:
    """Register an object with each object that it refers to."""
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
        if isinstance(holder, Function):
            for scope in activations(holder.scope):
                scope.holders = {holder} if scope.holders is None else scope.holders | {holder}


def _led_to(held: Object) -> list[Structure]:
    """The structures that an object refers to directly."""
    match held:
        case Partial():
            return structures((held.callee, *held.arguments, *held.keywords.values()))
        case BoundMethod():
            return structures((Reference(held.function), held.receiver))
        case Function():
            names = (value for _, _, value in captured(held))
            return [*_in_cells(held), *structures((*held.defaults.values(), *names))]
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
