"""Comparisons by which Python orders values: the host waits for the tensors among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from devlint.model import Cause, may_be_accelerator
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import NONE, Reference, Tensor, Value, alternatives, changed
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Elements, Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.waits import note_wait

_MOST_KEYS = 8
"""The keys of at most this many elements are computed one by one."""


def order(machine: Machine, call: Call, elements: Elements) -> None:
    """Compare elements with each other, or what the argument `key` makes of them, as often as a sort does."""
    with _each(machine, call, elements):
        keys = keys_of(machine, call, elements)
        if not elements.exact or len(elements.items) > 1:
            compare(machine, call, keys)


def keys_of(machine: Machine, call: Call, elements: Elements) -> list[Value]:
    """What the argument `key` makes of elements; the elements themselves if there is none."""
    items, key = elements.items, call.value("key")
    if key is None or key == NONE or not items:
        return items
    if len(items) > _MOST_KEYS:
        items = [join_all(items)]
    return [machine.call(key, call.passing([Passed(each, call.node, call.site)])) for each in items]


def compare(machine: Machine, call: Call, values: Sequence[Value]) -> None:
    """Compare values with each other. The host waits for the outcome, which it has not read before."""
    compared = [*_compared(machine, call, values)]
    if not compared:
        return
    read = next((each for each in compared if may_be_accelerator(each.device)), compared[0])
    if machine.execution.loop is not None:
        machine.execution.loop.worked = True
    outcome, passed = changed(read, serial=0), Passed(read, call.node, call.site)
    note_wait(machine, call.site, "torch.Tensor.__bool__", Cause.BRANCH, outcome, passed, "self")


def _compared(machine: Machine, call: Call, values: Sequence[Value]) -> Iterator[Tensor]:
    """The tensors whose comparison decides: among the values, or first in tuples of which they are."""
    met: set[Container] = set()
    while values:
        rows: list[Container] = []
        several = [each for value in values for each in alternatives(value)]
        for each in several:
            if isinstance(each, Tensor):
                yield each
            elif isinstance(each, Reference) and isinstance(each.target, Container):
                machine.read(each.target)
                rows.append(each.target)
            else:
                yield from _said(machine, call, each, several[-1])
        values = [] if met.intersection(rows) else _deciding(rows)
        met.update(rows)


def _said(machine: Machine, call: Call, held: Value, other: Value) -> Iterator[Tensor]:
    """What the method `__lt__` of an object returns."""
    own = machine.method_of(held, "__lt__")
    if own is not None:
        answer = machine.call(own, call.passing([Passed(other, call.node, call.site)]))
        yield from (each for each in alternatives(answer) if isinstance(each, Tensor))


def _deciding(rows: list[Container]) -> list[Value]:
    """The first elements of tuples and lists; whether later ones are compared is not known."""
    firsts = (each.cells.get(0, each.element) for each in rows if each.kind in ("list", "tuple"))
    return [each for each in firsts if each is not None]


@contextmanager
def _each(machine: Machine, call: Call, elements: Elements) -> Iterator[None]:
    """Execute what Python does for each element."""
    around = machine.execution.loop
    loop = machine.execution.loop = Loop(around, call.site, frame=call.frame)
    loop.turns = len(elements.items) if elements.exact else None
    loop.drew = elements.drew
    yield
    loop.left()
    machine.execution.loop = around
