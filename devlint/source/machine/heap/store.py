"""The store: all changes of the heap go through it, so that paths can be run one after the other.

A path is run with `begin` and `end`: `end` gives what the path changed, and takes it back. Where paths meet,
`merge` joins what each of them left. The cost is that of what was changed, not that of what there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from devlint.source.machine.domain.lattice import join
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import Object, Value
from devlint.source.machine.heap.derived import forget
from devlint.source.machine.heap.files import Scope
from devlint.source.machine.heap.objects import Instance

Replaced = dict[tuple[int, object], tuple[Object, object, Value | None, int]]
"""What was written over: the object, the cell, what that held first, None for nothing, and the object's stamp
then."""


class Changes(dict[tuple[int, object], tuple[Object, object, Value | None, Value | None]]):
    """What a path changed: the object, the cell, what that held before and after; None for nothing."""

    arrived: frozenset[int] = frozenset()
    """The serial numbers of the tensors whose values the host had read when the path ended."""


class Suspended(NamedTuple):
    """What a path has left that is to go on later."""

    written: list[tuple[Object, object, Value | None, int]]
    """The object, the cell, what that holds, the object's stamp."""
    arrived: frozenset[int]


class Store:
    """Writes to the heap, and remembers what they replaced."""

    def __init__(self) -> None:
        self.journals: list[Replaced] = []
        """What the paths replaced that are being run, the innermost last."""
        self.calls: list[Replaced] = []
        """What was replaced in objects older than each call that is being followed, the innermost last."""
        self._begun: list[int] = []
        """Whatever has a smaller number is older than that call."""
        self._stamps = 0
        self._is_apart = False
        """Whether what is changed stays, whatever path is taken back."""
        self.arrived: frozenset[int] = frozenset()
        """The serial numbers of the tensors whose values the host has read on the path that is being run."""
        self._arrived_before: list[frozenset[int]] = []
        """The same where each of the paths began, the innermost last."""

    def write(self, target: Object, key: object, value: Value | None) -> None:
        """Put a value into a cell; None empties it."""
        old = target.cells.get(key)
        entry = target, key, old, target.stamp
        if self.journals:
            self.journals[-1].setdefault((id(target), key), entry)
        self._touch(target)
        if self._begun and target.number < self._begun[-1]:
            self.calls[-1].setdefault((id(target), key), entry)
        _put(target, key, value)

    def draw(self, target: Instance, loop: Loop | None) -> None:
        """Let each turn of a loop draw another such object."""
        if target.drawn is not loop:
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
        """Begin a call: what has a smaller number is older than it."""
        self.calls.append({})
        self._begun.append(begun)

    def leave(self) -> Changes:
        """End a call: what it has changed in objects that are older."""
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
        """Change what no path takes back, and no call that is being followed counts as its own."""
        before = self.journals, self.calls, self._begun, self._arrived_before, self.arrived
        was_apart, self._is_apart = self._is_apart, True
        self.journals, self.calls, self._begun, self._arrived_before = [], [], [], []
        try:
            yield
        finally:
            self._is_apart = was_apart
            self.journals, self.calls, self._begun, self._arrived_before, self.arrived = before

    def begin(self) -> None:
        """Start a path."""
        self.journals.append({})
        self._arrived_before.append(self.arrived)

    def end(self) -> Changes:
        """What the path that was started last has changed; the heap is as it was before, stamps included."""
        journal = self.journals.pop()
        changes = Changes()
        changes.arrived, self.arrived = self.arrived, self._arrived_before.pop()
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
        """End the path that was started last, to go on with it later: the heap is as it was before."""
        written = self.journals[-1].values()
        left = [(target, key, target.cells.get(key), target.stamp) for target, key, *_ in written]
        return Suspended(left, self.end().arrived)

    def resume(self, left: Suspended) -> None:
        """Go on with a path: what it had written is as it was, and counts as unchanged since then."""
        self.begin()
        self.arrived = left.arrived
        for target, key, held, _ in left.written:
            self.write(target, key, held)
        for target, *_, stamp in left.written:
            target.stamp = stamp

    def keep(self) -> Changes:
        """End the path that was started last, and leave its changes in place."""
        journal = self.journals.pop()
        self._arrived_before.pop()
        if self.journals:
            outer = self.journals[-1]
            for place, entry in journal.items():
                outer.setdefault(place, entry)
        return Changes(
            (place, (target, key, old, target.cells.get(key)))
            for place, (target, key, old, _) in journal.items()
        )

    def apply(self, changes: Changes) -> None:
        """Make the changes of a path that is the only one to go on."""
        for target, key, _, new in changes.values():
            self.write(target, key, new)
        self.arrived |= changes.arrived

    def merge(self, left: Changes, right: Changes, *, local: Scope | None = None) -> None:
        """Join what two paths left. A name that only one of them binds holds what that one bound.

        With `local`, the right path does not come here, and its local names are lost; what it changed in the
        heap may still be seen. Else a value has arrived where both paths have read it.
        """
        self.arrived |= left.arrived if local is not None else left.arrived & right.arrived
        for place in {**left, **right}:
            target, key, old, _ = left.get(place) or right[place]
            first = left[place][3] if place in left else old
            second = right[place][3] if place in right else old
            if local is not None and target is local:
                second = first
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
