"""What calls came to in their contexts, remembered for as long as what they rest on stays the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from devlint.source.machine.domain.values import (
    Array,
    Input,
    Known,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
    new_serial,
)
from devlint.source.machine.heap.derived import derived
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.reporting.event_log import Surroundings

Key = tuple[object, ...]


class Outcome(NamedTuple):
    """What a call came to, and on what that rests."""

    result: Value
    begun: int
    """What was made in the call has a greater serial number."""
    given: tuple[int, ...]
    """The serial numbers of the tensors that it was given."""
    reads: tuple[tuple[Object, int], ...]
    """The objects that were read, with their stamps at that time."""
    trained: bool
    drew: bool
    called_module: bool
    worked: bool
    hot_inside: bool
    waits: int
    work: int
    sure_work: int

    @property
    def holds(self) -> bool:
        """Whether nothing has changed on which it rests."""
        return all(held.stamp == stamp for held, stamp in self.reads)


def serials(given: Iterable[Value]) -> tuple[int, ...]:
    """The serial numbers of the tensors among some values, and in their alternatives, in order."""
    return tuple(one.serial for each in given for one in alternatives(each) if isinstance(one, Tensor))


def again(known: Outcome, given: Iterable[Value], held: Value) -> Value:
    """The result of a call that was followed for another one: tensors that it made are others this time, and
    what it was given and gives back is what it is given now."""
    if isinstance(held, Tensor):
        if held.serial > known.begun:
            return changed(held, serial=new_serial())
        replaced = dict(zip(known.given, serials(given), strict=False))
        return changed(held, serial=replaced.get(held.serial, held.serial))
    if isinstance(held, Union):
        return Union(tuple(again(known, given, each) for each in held.alternatives))
    if isinstance(held, Reference) and isinstance(held.target, Container):
        twin = Container(held.target.kind)
        twin.born = held.target.born
        twin.cells = {name: again(known, given, each) for name, each in held.target.cells.items()}
        return Reference(twin)
    return held


class Keys:
    """What calls are told apart by.

    Objects that are alike, and lead to objects that are alike, get the same number: a module that is called
    is told apart by its structure and by where its parameters lie, and not by which of many equal ones it is.
    A tensor that a module keeps and does not register is told apart by its origin too: findings stand there.
    """

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._being_numbered: dict[Object, None] = {}

    def key(self, function: Function, scope: Scope, around: Surroundings) -> Key:
        """The key of a call: the function, what it is given, and from where it is called."""
        key: list[object] = [function.identity, id(function.scope), id(around.loop)]
        key += [around.periodic, around.rare, around.expected]
        self._add_cells(key, scope)
        return tuple(key)

    def _number(self, held: Object) -> int:
        key: list[object] = []
        if isinstance(held, Instance):
            key += [held.of, held.left_out, held.drawn]
            for name, each in held.arguments.items():
                key.append(name)
                self._add(key, each)
        elif isinstance(held, Container):
            key += [held.kind, id(held.born)]
        self._being_numbered[held] = None
        self._add_cells(key, held)
        del self._being_numbered[held]
        return self._numbers.setdefault(tuple(key), len(self._numbers))

    def _add_cells(self, key: list[object], held: Object) -> None:
        for name, each in held.cells.items():
            key.append(name)
            self._add(key, each)

    def _add(self, key: list[object], held: Value) -> None:
        if isinstance(held, Tensor):
            key += [
                "tensor",
                held.device,
                held.rank0,
                held.boolean,
                held.role,
                held.attribute,
                held.pinned,
                held.shape,
                held.itemsize,
                held.confidence,
                held.left_behind,
                held.origin if held.attribute else None,
                id(held.source),
                id(held.born),
                held.element,
            ]
        elif isinstance(held, Known):
            key += [type(held.value), held.value]
        elif isinstance(held, Reference):
            target = held.target
            numbered = isinstance(target, Instance | Container) and target not in self._being_numbered
            key.append(derived(target, self._number) if numbered else held)
        elif isinstance(held, Array):
            key += ["array", held.may_be_number]
        elif isinstance(held, Input):
            key.append(id(held))
        elif isinstance(held, Union):
            for each in held.alternatives:
                self._add(key, each)
        else:
            key.append(held)


def is_rememberable(result: Value) -> bool:
    """Whether a result may stand for that of a later call: it is no new object that has identity."""
    if isinstance(result, Reference):
        target = result.target
        return (
            isinstance(target, Container)
            and target.kind == "tuple"
            and all(
                not isinstance(each, Reference) and is_rememberable(each) for each in target.cells.values()
            )
        )
    if isinstance(result, Union):
        return all(map(is_rememberable, result.alternatives))
    return True


class Contexts:
    """The outcomes of calls in one run."""

    def __init__(self) -> None:
        self._outcomes: dict[Key, Outcome] = {}
        self._supposed: dict[Key, Outcome] | None = None
        """Those under the present hypothesis, if there is one: another one is to see the same events."""

    def find(self, key: Key) -> Outcome | None:
        """The outcome in a context, if it still holds."""
        found = self._outcomes.get(key)
        if found is None and self._supposed is not None:
            found = self._supposed.get(key)
        return found if found is not None and found.holds else None

    def keep(self, key: Key, outcome: Outcome) -> None:
        """Remember an outcome."""
        (self._outcomes if self._supposed is None else self._supposed)[key] = outcome

    def suppose(self) -> None:
        """Begin with a hypothesis, and forget what came of the last one."""
        self._supposed = {}

    def clear(self) -> None:
        """Forget everything."""
        self._outcomes.clear()
        self._supposed = None
