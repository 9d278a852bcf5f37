"""What a program assigns to attributes of unknown arguments: `args.device = device`."""

from __future__ import annotations

from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import Object, Value
from devlint.source.machine.heap.store import Store


class AssignedAttributes:
    """The attributes that a run assigns to unknown arguments, as objects of the heap, so that paths undo and
    join them, and each name of an argument shows them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of: dict[Input, Object] = {}
        self._newest = 0
        """The greatest number of an argument that has some."""

    def of(self, owner: Input) -> Object | None:
        """What was assigned to an argument, under any name or test of it; None if nothing was."""
        return self._of.get(_argument(owner)) if self._of else None

    def stamp(self, owner: Loop | Input) -> int:
        """A number that differs if what was assigned to an argument differs."""
        held = self.of(owner) if isinstance(owner, Input) else None
        return 0 if held is None else held.stamp

    def changes_since(self, begun: int) -> bool:
        """Whether something was assigned to what a call that began then drew or computed."""
        return self._newest > begun

    def assign(self, owner: Input, name: str, before: Value, held: Value) -> None:
        """Assign to an attribute of an argument, which had the value `before` when it was passed."""
        argument = _argument(owner)
        target = self._of.get(argument)
        if target is None:
            target = self._of[argument] = Object()
            target.number = argument.number
            self._newest = max(self._newest, argument.number)
        if name not in target.cells:
            with self._store.apart():
                self._store.write(target, name, before)
        self._store.write(target, name, held)


def _argument(held: Input) -> Input:
    """The input of which another one is what a test has left."""
    *_, argument = bases(held)
    return argument
