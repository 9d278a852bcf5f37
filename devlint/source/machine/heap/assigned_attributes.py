"""What a program assigns to attributes of unknown arguments: `args.device = device`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from devlint.source.machine.domain.inputs import Input, twin
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import (
    TOP,
    DeviceValue,
    Known,
    Object,
    Scalar,
    Value,
    alternatives,
)
from devlint.source.machine.heap.store import Store

_MOST_WRITES = 16
"""The assignments to one attribute of an argument after which its value is unknown."""


class AssignedAttributes:
    """The attributes that a run assigns to unknown arguments, as objects of the heap, so that paths undo and
    join them, and each name of an argument shows them.

    Of what is drawn from an argument or computed with it, no attributes are kept: it may be an object with
    other names.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._admitted: set[Input] = set()
        """The arguments with which a hypothesis calls a function."""
        self._of: dict[Input, Object] = {}
        self._newest = 0
        """The greatest number of an argument that has some."""
        self._writes: Counter[tuple[Object, str]] = Counter()

    def admit(self, argument: Input, before: Input | None = None) -> None:
        """Keep what is assigned to an argument from here on, which takes the place of another one."""
        self._admitted.add(argument)
        if before in self._of:
            self._of[argument] = self._of[before]

    def of(self, owner: Input) -> Object | None:
        """What was assigned to an argument, under any name or test of it; None if nothing was."""
        return self._of.get(self._argument(owner)) if self._of else None

    def stamp(self, owner: Loop | Input) -> int:
        """A number that differs if what was assigned to an argument differs."""
        held = self.of(owner) if isinstance(owner, Input) else None
        return 0 if held is None else held.stamp

    def changes_since(self, begun: int) -> bool:
        """Whether something was assigned to an input with a greater serial number than this one."""
        return self._newest > begun

    def assign(self, owner: Input, name: str, before: Value, held: Value) -> None:
        """Assign to an attribute of an argument, which had the value `before` when it was passed. A counter
        would be another value in each turn of a loop, so that its value is unknown after some."""
        argument = self._argument(owner)
        if argument not in self._admitted and argument not in self._of:
            return
        target = self._object(argument)
        self._writes[target, name] += 1
        held = held if self._writes[target, name] <= _MOST_WRITES else TOP
        if name not in target.cells:
            with self._store.apart():
                self._store.write(target, name, before)
        if target.cells[name] is not held:
            self._store.write(target, name, held)

    def copied(self, owner: Input) -> Input:
        """A copy of an argument, with attributes of its own."""
        made = twin(owner)
        made.argument = None
        made.attributes, made.moved_in_place = owner.attributes, owner.moved_in_place
        held = self.of(owner)
        cells = self._object(made)
        for name, each in () if held is None else held.cells.items():
            self._store.write(cells, name, each)
        return made

    def move(self, owner: Input) -> None:
        """Forget the tensors and objects that were assigned to an argument, which moves them with it."""
        self._forget(owner, lambda each: not isinstance(each, (Known, Scalar, DeviceValue)))

    def hand_over(self, values: Iterable[Value]) -> None:
        """Forget the numbers, texts and flags that were assigned to arguments which are given to code that is
        not read: it may set others."""
        for each in values:
            if isinstance(each, Input):
                self._forget(each, lambda held: isinstance(held, (Known, Scalar)))

    def forget(self, owner: Input) -> None:
        """Forget what was assigned to an argument, of which a method is called that is not read."""
        self._forget(owner, lambda _: True)

    def _forget(self, owner: Input, is_forgotten: Callable[[Value], bool]) -> None:
        target = self.of(owner)
        for name, each in [] if target is None else list(target.cells.items()):
            if target is not None and any(map(is_forgotten, alternatives(each))):
                self._store.write(target, name, TOP)

    @contextmanager
    def undone(self) -> Iterator[None]:
        """A context at whose end the attributes have the values that they had before."""
        before = [(target, dict(target.cells)) for target in self._of.values()]
        known = {*self._of}
        try:
            yield
        finally:
            for target, cells in before:
                for name, held in list(target.cells.items()):
                    if cells.get(name) is not held:
                        self._store.write(target, name, cells.get(name))
            for argument in self._of.keys() - known:
                del self._of[argument]

    def _argument(self, held: Input) -> Input:
        """The argument, or the copy of one, of which an input is what a test has left."""
        return held if held in self._of or held.argument is None else held.argument

    def _object(self, argument: Input) -> Object:
        target = self._of.get(argument)
        if target is None:
            target = self._of[argument] = Object()
            target.number = argument.number
            self._newest = max(self._newest, argument.number)
        return target
