"""The store, through which all changes of the heap go, so that paths can be executed one after the other.

`begin` starts a path; `end` returns its changes and undoes them; `merge` joins the changes of two paths. The
cost is proportional to the number of changes, not to the size of the heap.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from devlint.model import Device
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import Object, Value
from devlint.source.machine.heap.derived import forget
from devlint.source.machine.heap.files import Scope
from devlint.source.machine.heap.objects import Instance

Replaced = dict[tuple[int, object], tuple[Object, object, Value | None, int]]
"""The overwritten cells: of each the object, the cell, its first value (None for no value), and the object's
stamp then."""


class Changes(dict[tuple[int, object], tuple[Object, object, Value | None, Value | None]]):
    """The changes of a path: of each the object, the cell, its values before and after; None for no value."""

    arrived: frozenset[int] = frozenset()
    """The serial numbers of the tensors whose values the host had read at the end of the path."""
    on_host: frozenset[Device | Input] = frozenset()
    """What tests on the path have shown: the devices that are the host, the inputs that are no tensors."""
    begun: int = sys.maxsize
    """Objects with a greater number were created on the path."""

    def beside(
        self, other: Changes
    ) -> Iterator[tuple[Object, object, Value | None, Value | None, Value | None]]:
        """The cells that this path or another one from the same state changes: of each the object, the cell,
        its value before, and its values after each path. If only one path creates the object, the other one
        has no value."""
        for place, (target, key, old, after) in self.items():
            theirs = other.get(place)
            yield target, key, old, after, self._unchanged(target, old) if theirs is None else theirs[3]
        for place, (target, key, old, after) in other.items():
            if place not in self:
                yield target, key, old, other._unchanged(target, old), after

    def joined(self, other: Changes) -> Changes:
        """The joined changes of two paths."""
        merged = Changes()
        merged.arrived, merged.on_host = self.arrived & other.arrived, self.on_host & other.on_host
        merged.begun = min(self.begun, other.begun)
        for target, key, before, one, another in self.beside(other):
            held = one if another is None else another if one is None else join(one, another)
            merged[id(target), key] = (target, key, before, held)
        return merged

    def _unchanged(self, target: Object, old: Value | None) -> Value | None:
        """The value, after the other path, of a cell that only this one changes."""
        return None if target.number > self.begun else old


class Suspended(NamedTuple):
    """The changes of a path that will be continued."""

    written: list[tuple[Object, object, Value | None, int]]
    """The object, the cell, its value, the object's stamp."""
    arrived: frozenset[int]
    on_host: frozenset[Device | Input]


class Store:
    """Writes to the heap, and records the overwritten values."""

    def __init__(self) -> None:
        self.journals: list[Replaced] = []
        """The journals of the active paths, the innermost last."""
        self.calls: list[Replaced] = []
        """For each active call, the innermost last: what was overwritten in objects that are older than the
        call."""
        self._begun: list[int] = []
        """Objects with a smaller number are older than that call."""
        self.draws: list[tuple[Instance, Loop | None]] = []
        """The objects that a loop has drawn anew, with the loop that drew them before."""
        self._stamps = 0
        self._is_apart = False
        """Whether changes are permanent, so that no path undoes them."""
        self.arrived: frozenset[int] = frozenset()
        """The serial numbers of the tensors whose values the host has read on the current path."""
        self.on_host: frozenset[Device | Input] = frozenset()
        """What tests on the current path have shown: the devices that are the host, the inputs that are no
        tensors."""
        self._known_before: list[tuple[frozenset[int], frozenset[Device | Input]]] = []
        """Both of these at the start of each active path, the innermost last."""
        self._paths_begun: list[int] = []
        """For each active path, the innermost last: objects with a greater number were created on it."""

    def write(self, target: Object, key: object, value: Value | None) -> None:
        """Set a cell; None removes its value."""
        old = target.cells.get(key)
        entry = target, key, old, target.stamp
        if self.journals:
            self.journals[-1].setdefault((id(target), key), entry)
        self._touch(target)
        if self._begun and target.number < self._begun[-1]:
            self.calls[-1].setdefault((id(target), key), entry)
        _put(target, key, value)

    def draw(self, target: Instance, loop: Loop | None) -> None:
        """Record that each turn of a loop draws another such object."""
        if target.drawn is not loop:
            self.draws.append((target, target.drawn))
            target.drawn = loop
            self._touch(target)
            target.lasting = target.stamp

    def _touch(self, target: Object) -> None:
        self._stamps += 1
        target.stamp = self._stamps
        if self._is_apart:
            target.lasting = self._stamps
        if target.holders is not None:
            forget(target)

    def enter(self, begun: int) -> None:
        """Start a call: objects with a smaller number are older than it."""
        self.calls.append({})
        self._begun.append(begun)

    def leave(self) -> Changes:
        """End a call, and return its changes of older objects."""
        replaced = self.calls.pop()
        self._begun.pop()
        if self.calls:
            outer, begun = self.calls[-1], self._begun[-1]
            for place, entry in replaced.items():
                if entry[0].number < begun:
                    outer.setdefault(place, entry)
        return Changes(
            (place, (target, key, old, target.cells.get(key)))
            for place, (target, key, old, _) in replaced.items()
            if target.cells.get(key) is not old
        )

    @contextmanager
    def apart(self) -> Iterator[None]:
        """A context for permanent changes: no path undoes them, and no active call counts them as its own."""
        before = self.journals, self.calls, self._begun, self._known_before, self._paths_begun, self.arrived
        was_apart, self._is_apart = self._is_apart, True
        self.journals, self.calls, self._begun, self._known_before, self._paths_begun = [], [], [], [], []
        try:
            yield
        finally:
            self._is_apart = was_apart
            self.journals, self.calls, self._begun, self._known_before, self._paths_begun, self.arrived = (
                before
            )

    @property
    def path_begun(self) -> int:
        """Objects with a greater number were created on the innermost path; 0 if there is one path only."""
        return self._paths_begun[-1] if self._paths_begun else 0

    def begin(self) -> None:
        """Start a path."""
        self.journals.append({})
        self._known_before.append((self.arrived, self.on_host))
        self._paths_begun.append(new_serial())

    def end(self) -> Changes:
        """The changes of the innermost path; the heap, stamps included, is as before the path."""
        journal = self.journals.pop()
        changes = Changes()
        changes.arrived, changes.on_host = self.arrived, self.on_host
        self.arrived, self.on_host = self._known_before.pop()
        changes.begun = self._paths_begun.pop()
        first: dict[Object, int] = {}
        for place, (target, key, old, stamp) in journal.items():
            changes[place] = (target, key, old, target.cells.get(key))
            _put(target, key, old)
            if stamp <= first.get(target, stamp):
                first[target] = stamp
        for target, stamp in first.items():
            self._touch(target)
            if target.lasting <= stamp:
                target.stamp = stamp
        return changes

    def suspend(self) -> Suspended:
        """Suspend the innermost path: the heap is as before the path."""
        written = self.journals[-1].values()
        left = [(target, key, target.cells.get(key), target.stamp) for target, key, *_ in written]
        ended = self.end()
        return Suspended(left, ended.arrived, ended.on_host)

    def resume(self, left: Suspended) -> None:
        """Resume a suspended path: its writes are restored, and count as unchanged since then."""
        self.begin()
        self.arrived, self.on_host = left.arrived, left.on_host
        for target, key, held, _ in left.written:
            self.write(target, key, held)
        for target, *_, stamp in left.written:
            target.stamp = stamp

    def keep(self) -> Changes:
        """End the innermost path, and keep its changes."""
        journal = self.journals.pop()
        self._known_before.pop()
        self._paths_begun.pop()
        if self.journals:
            outer = self.journals[-1]
            for place, entry in journal.items():
                outer.setdefault(place, entry)
        return Changes(
            (place, (target, key, old, target.cells.get(key)))
            for place, (target, key, old, _) in journal.items()
        )

    def apply(self, changes: Changes) -> None:
        """Apply the changes of the only path that continues."""
        for target, key, _, new in changes.values():
            self.write(target, key, new)
        self.arrived |= changes.arrived
        self.on_host |= changes.on_host

    def merge(self, left: Changes, right: Changes, *, local: Scope | None = None) -> None:
        """Join the changes of two paths.

        A name that only one path binds keeps that value. With `local`, the right path does not reach the join
        and its local names are lost, but its changes of the heap are kept. Otherwise, the host has read a
        value if it has done so on both paths.
        """
        self.arrived |= left.arrived if local is not None else left.arrived & right.arrived
        self.on_host |= left.on_host if local is not None else left.on_host & right.on_host
        for target, key, old, first, other in left.beside(right):
            second = first if local is not None and target is local else other
            joined = first if second is None else second if first is None else join(first, second)
            if joined is not old:
                self.write(target, key, joined)


def _put(target: Object, key: object, value: Value | None) -> None:
    if value is None:
        target.cells.pop(key, None)
        if target.runs is not None:
            target.runs = target.runs.removed(key)
    else:
        target.cells[key] = value
        if target.runs is not None:
            target.runs.written(key)
