"""The store: all changes of the heap go through it, so that paths can be run one after the other.

A path is run with `begin` and `end`: `end` gives what the path changed, and takes it back. Where paths meet,
`merge` joins what each of them left. The cost is that of what was changed, not that of what there is.
"""

from __future__ import annotations

from devlint.source.machine.domain.lattice import join
from devlint.source.machine.domain.values import Object, Value
from devlint.source.machine.heap.derived import forget
from devlint.source.machine.heap.files import Scope

Changes = dict[tuple[int, object], tuple[Object, object, Value | None, Value | None]]
"""What a path changed: the object, the cell, what that held before and after; None for nothing."""


class Store:
    """Writes to the heap, and remembers what they replaced."""

    def __init__(self) -> None:
        self.journals: list[dict[tuple[int, object], tuple[Object, object, Value | None]]] = []
        """What the paths replaced that are being run, the innermost last."""
        self._stamps = 0
        self.writes = 0
        """How often something older than the present call was changed."""
        self.depth = 0

    def write(self, target: Object, key: object, value: Value | None) -> None:
        """Put a value into a cell; None empties it."""
        cells = target.cells
        old = cells.get(key)
        if self.journals:
            self.journals[-1].setdefault((id(target), key), (target, key, old))
        self._touch(target)
        if target.fresh < self.depth:
            self.writes += 1
        if value is None:
            cells.pop(key, None)
        else:
            cells[key] = value

    def _touch(self, target: Object) -> None:
        self._stamps += 1
        target.stamp = self._stamps
        if target.holders is not None:
            forget(target)

    def adopt(self, made: Object) -> Object:
        """Note a new object as one of the present call."""
        made.fresh = self.depth
        return made

    def begin(self) -> None:
        """Start a path."""
        self.journals.append({})

    def end(self) -> Changes:
        """What the path that was started last has changed; the heap is as it was before."""
        journal = self.journals.pop()
        changes: Changes = {}
        for place, (target, key, old) in journal.items():
            changes[place] = (target, key, old, target.cells.get(key))
            self._touch(target)
            if old is None:
                target.cells.pop(key, None)
            else:
                target.cells[key] = old
        return changes

    def keep(self) -> Changes:
        """End the path that was started last, and leave its changes in place."""
        journal = self.journals.pop()
        if self.journals:
            outer = self.journals[-1]
            for place, entry in journal.items():
                outer.setdefault(place, entry)
        return {
            place: (target, key, old, target.cells.get(key)) for place, (target, key, old) in journal.items()
        }

    def apply(self, changes: Changes) -> None:
        """Make the changes of a path that is the only one to go on."""
        for target, key, _, new in changes.values():
            self.write(target, key, new)

    def merge(self, left: Changes, right: Changes, *, local: Scope | None = None) -> None:
        """Join what two paths left. A name that only one of them binds holds what that one bound.

        With `local`, the right path does not come here, and its local names are lost; what it changed in the
        heap may still be seen.
        """
        for place in {**left, **right}:
            target, key, old, _ = left.get(place) or right[place]
            first = left[place][3] if place in left else old
            second = right[place][3] if place in right else old
            if local is not None and target is local:
                second = first
            joined = first if second is None else second if first is None else join(first, second)
            if joined is not old:
                self.write(target, key, joined)
