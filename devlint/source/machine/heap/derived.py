"""What is worked out of an instance or container and of those it leads to, kept until one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from devlint.source.machine.domain.values import Object, Reference, Union
from devlint.source.machine.heap.objects import Container, Instance

_T = TypeVar("_T")


def derived(held: Object, work: Callable[[Object], _T]) -> _T:
    """What `work` makes of an object. It may look at the instances and containers to which cells lead."""
    if held.memo is None:
        _watch(held)
        held.memo = {}
    if work not in held.memo:
        held.memo[work] = work(held)
    found: _T = held.memo[work]
    return found


def forget(changed: Object) -> None:
    """Forget what was worked out of an object that has changed, and of those that lead to it."""
    stale = [changed]
    while stale:
        each = stale.pop()
        if each.holders is not None:
            stale += each.holders
        each.holders = each.memo = None


def _watch(held: Object) -> None:
    """Let each object to which one leads know who holds it."""
    if held.holders is not None:
        return
    held.holders = set()
    unseen = [held]
    while unseen:
        holder = unseen.pop()
        for each in _targets(holder):
            if each.holders is None:
                each.holders = set()
                unseen.append(each)
            each.holders.add(holder)


def _targets(held: Object) -> Iterator[Object]:
    for each in held.cells.values():
        for one in each.alternatives if isinstance(each, Union) else (each,):
            if isinstance(one, Reference) and isinstance(one.target, Instance | Container):
                yield one.target
