"""What calls came to in their contexts, remembered for as long as what they rest on stays the same."""

from __future__ import annotations

from typing import NamedTuple

from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import (
    Array,
    Input,
    Known,
    Object,
    Reference,
    Tensor,
    Union,
    Value,
)
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.objects import Container

Key = tuple[object, ...]


class Outcome(NamedTuple):
    """What a call came to, and on what that rests."""

    result: Value
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


def context(function: Function, scope: Scope, loop: Loop | None, *, periodic: bool, rare: bool) -> Key | None:
    """What a call is told apart by: function, arguments, and the loop that calls; None where that cannot be
    said, because it is given what changes while it is looked at."""
    key: list[object] = [function.identity, id(function.scope), id(loop), periodic, rare]
    for name, held in scope.cells.items():
        key.append(name)
        _add(key, held)
    return tuple(key)


def _add(key: list[object], held: Value) -> None:
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
            id(held.source),
            id(held.born),
            held.element,
        ]
    elif isinstance(held, Known):
        key += [type(held.value), held.value]
    elif isinstance(held, Reference):
        target = held.target
        if isinstance(target, Container):
            key.append(target.kind)
            for name, each in target.cells.items():
                key.append(name)
                _add(key, each) if not _is_container(each) else key.append(id(each.target))  # type: ignore[union-attr]
        else:
            key.append(id(target))
    elif isinstance(held, Input | Array):
        key.append(id(held) if isinstance(held, Input) else "array")
    elif isinstance(held, Union):
        for each in held.alternatives:
            _add(key, each)
    else:
        key.append(held)


def _is_container(held: Value) -> bool:
    return isinstance(held, Reference) and isinstance(held.target, Container)


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

    def find(self, key: Key | None) -> Outcome | None:
        """The outcome in a context, if it still holds."""
        if key is None:
            return None
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
