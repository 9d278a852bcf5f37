"""Functions that order values: `sorted`, `min`, `max`, and those of `heapq` and `bisect`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    INT,
    NONE,
    SCALAR,
    TOP,
    AcceleratorName,
    Known,
    Reference,
    Scalar,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Elements, Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.comparing import compare, keys_of, order
from devlint.source.machine.library.container_methods import add, keeps_apart
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators.accelerator import devices_counted


def _elements(machine: Machine, call: Call, held: Value) -> Elements:
    return machine.elements(held, call.frame, call.node)


def _ordered(machine: Machine, call: Call, elements: Elements) -> Value:
    """A list of elements in an order that is not known."""
    order(machine, call, elements)
    return machine.adopt(Container("list", element=join_all(elements.items)))


def _sorted(machine: Machine, call: Call) -> Value:
    elements = _elements(machine, call, call.first)
    named = {each.value: each for each in elements.items if isinstance(each, Known)}
    names = [each for each in named if isinstance(each, str)]
    if elements.exact and len(call.passed) == 1 and len(names) == len(elements.items):
        return machine.adopt(Container("list", [named[each] for each in sorted(names)]))
    return _ordered(machine, call, elements)


def _extreme(choose: Callable[[list[float]], float], machine: Machine, call: Call) -> Value:
    """`max(a, b)` and `max(elements)`."""
    items = [each.value for each in call.passed if not each.keyword]
    elements = Elements(items, exact=True) if len(items) > 1 else _elements(machine, call, call.first)
    order(machine, call, elements)
    items = [_counted(machine, each) for each in elements.items]
    if items and all(isinstance(each, Known) for each in items):
        known = (each.value for each in items if isinstance(each, Known))
        numbers = [each for each in known if isinstance(each, (int, float)) and not isinstance(each, bool)]
        if len(numbers) == len(items) == len(call.passed):
            counts = any(isinstance(each, AcceleratorName) for each in items)
            return (AcceleratorName if counts else Known)(choose(numbers))
        return SCALAR if len({type(each.value) for each in items if isinstance(each, Known)}) > 1 else INT
    if choose is min and len(elements.items) == len(call.passed) > 1:
        return _limited(items)
    return join_all(items)


def _limited(items: Sequence[Value]) -> Value:
    """The smallest of several numbers, which is no larger than those of them that are known."""
    known = [each.value for each in items if type(each) is Known and type(each.value) is int]
    joined = join_all(items)
    if known and isinstance(joined, Scalar) and joined.type == "int":
        return changed(joined, most=min(known))
    return joined


def _counted(machine: Machine, held: Value) -> Value:
    """The number of devices where it is `torch.cuda.device_count()`, otherwise the value."""
    is_count = isinstance(held, Scalar) and held.availability and held.type == "int"
    return AcceleratorName(devices_counted(machine)) if is_count else held


def _largest(machine: Machine, call: Call) -> Value:
    """`heapq.nlargest(count, elements, key=None)`."""
    walked = call.value("iterable", 1)
    return TOP if walked is None else _ordered(machine, call, _elements(machine, call, walked))


def _merged(machine: Machine, call: Call) -> Value:
    """`heapq.merge(*iterables, key=None)`."""
    several = [_elements(machine, call, each.value) for each in call.passed if not each.keyword]
    return _ordered(machine, call, Elements([one for each in several for one in each.items], exact=False))


def _may_hold(machine: Machine, held: Container) -> bool:
    """Whether a list may hold something: now, or in a later turn of the loop."""
    return bool(held.cells) or not keeps_apart(machine, held)


def _pushed(machine: Machine, call: Call) -> Value:
    """`heapq.heappush(heap, item)`. Where the item goes is not known."""
    match call.values:
        case [Reference(target=Container() as heap), item]:
            if _may_hold(machine, heap):
                compare(machine, call, [*heap.cells.values(), item])
            add(machine, heap, item)
        case _:
            pass
    return NONE


def _popped(machine: Machine, call: Call) -> Value:
    """`heapq.heappop(heap)`, after which two others are compared."""
    if not call.passed:
        return TOP
    elements = _elements(machine, call, call.first)
    if not elements.exact or len(elements.items) > 2:
        compare(machine, call, elements.items)
    return join_all(elements.items)


def _replaced(machine: Machine, call: Call) -> Value:
    """`heapq.heappushpop(heap, item)` and `heapq.heapreplace(heap, item)`: an element of the heap, or the
    item."""
    match call.values:
        case [Reference(target=Container() as heap) as held, item]:
            if not _may_hold(machine, heap):
                return item
            before = _elements(machine, call, held).items
            compare(machine, call, [*before, item])
            add(machine, heap, item)
            return join_all([*before, item])
        case _:
            return TOP


def _made_a_heap(machine: Machine, call: Call) -> Value:
    """`heapq.heapify(list)`."""
    order(machine, call, _elements(machine, call, call.first))
    return NONE


def _searched(machine: Machine, call: Call) -> Value:
    """`bisect.bisect(elements, item, key=None)`, which compares the item with some elements."""
    held, item = call.value("a", 0), call.value("x", 1)
    if held is None or item is None:
        return INT
    keys = keys_of(machine, call, _elements(machine, call, held))
    into = _list_of(held)
    if into is None or _may_hold(machine, into):
        compare(machine, call, [*keys, item])
    return INT


def _inserted(machine: Machine, call: Call) -> Value:
    """`bisect.insort(elements, item, key=None)`."""
    held, item = call.value("a", 0), call.value("x", 1)
    if held is None or item is None:
        return NONE
    elements = _elements(machine, call, held)
    keys = keys_of(machine, call, Elements([*elements.items, item], elements.exact))
    into = _list_of(held)
    if into is None or _may_hold(machine, into):
        compare(machine, call, keys)
    if into is not None:
        add(machine, into, item)
    return NONE


def _list_of(held: Value) -> Container | None:
    return held.target if isinstance(held, Reference) and isinstance(held.target, Container) else None


SORTS: dict[str, Handler] = {
    "sorted": _sorted,
    "max": partial(_extreme, max),
    "min": partial(_extreme, min),
}
"""The functions that are built into Python, by their names there."""

HEAPS_AND_SEARCHES: dict[str, Handler] = {
    "heapq.heapify": _made_a_heap,
    "heapq.heappop": _popped,
    "heapq.heappush": _pushed,
    "heapq.heappushpop": _replaced,
    "heapq.heapreplace": _replaced,
    "heapq.merge": _merged,
    "heapq.nlargest": _largest,
    "heapq.nsmallest": _largest,
    **{f"bisect.{name}": _searched for name in ("bisect", "bisect_left", "bisect_right")},
    **{f"bisect.{name}": _inserted for name in ("insort", "insort_left", "insort_right")},
}
"""Others, by canonical name."""
