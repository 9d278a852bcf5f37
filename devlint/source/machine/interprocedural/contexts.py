"""Stored results of calls by context, valid as long as everything on which they depend is unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from devlint.model import Device, SiteId
from devlint.source.machine.domain.loops import Loop, LoopActivity
from devlint.source.machine.domain.values import TOP, Object, Tensor, Union, Value
from devlint.source.machine.heap.closures import captured
from devlint.source.machine.heap.derived import reached
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.interprocedural.assumptions import Assumed
from devlint.source.machine.interprocedural.context_keys import Atom, Atoms
from devlint.source.machine.interprocedural.renaming import Renaming
from devlint.source.machine.reporting.occurrences import Occurrence


class EventContext(NamedTuple):
    """An event as a call recorded it."""

    periodic: bool
    rare: bool
    added: bool
    chain: tuple[SiteId, ...]
    """The calls that led there the first time."""

    def joined(self, other: EventContext) -> EventContext:
        """The context of an event that was recorded in both."""
        return EventContext(
            self.periodic and other.periodic,
            self.rare and other.rare,
            self.added and other.added,
            self.chain,
        )


Notes = dict[Occurrence, EventContext]


class Counts(NamedTuple):
    """The counts of waits, of work, of writes and of training steps at one moment."""

    waits: int
    work: int
    sure_work: int
    written: int
    trained: int

    @classmethod
    def of(cls, machine: Machine) -> Counts:
        """The present counts."""
        return cls(machine.waits, machine.work, machine.sure_work, machine.written, machine.trained)

    def since(self, before: Counts) -> Counts:
        """The difference to later counts."""
        return Counts(*(now - then for now, then in zip(self, before, strict=True)))


class CellChange(NamedTuple):
    """The value that a call leaves in a cell; None if it empties the cell."""

    target: Object
    key: object
    value: Value | None


class CallInputs(NamedTuple):
    """The arguments of a call, with everything reachable from them."""

    atoms: Atoms
    """The loops and inputs of its key."""
    tensors: tuple[Tensor, ...]
    """The tensors among the arguments and their alternatives, in order."""
    objects: tuple[Object, ...]
    """The objects reachable from the arguments, in the order in which they are reached; and the activations
    around the functions among these and around the called function."""


class Outcome(NamedTuple):
    """The result of a call, and the state on which it depends."""

    result: Value
    changes: tuple[CellChange, ...]
    """Its changes of the objects that it was given."""
    drawn: tuple[tuple[Instance, Loop | None], ...]
    """The objects among these that a loop has drawn since, with the loop."""
    begun: int
    """Objects that the call created have a greater number."""
    call_inputs: CallInputs
    fixed: frozenset[Atom]
    """The loops and inputs that it has also reached by other ways than its arguments, so that no others can
    take their places."""
    shown: tuple[tuple[bool, bool, Device | None, bool] | None, ...]
    """For each input: whether the call shows it to be a tensor, whether it moves it, the device to which it
    moves it in place, and whether it shows that it has dimensions; None for a loop."""
    requested: tuple[int, ...]
    """The positions of the given modules whose parameters it has requested."""
    reads: tuple[tuple[Object, int], ...]
    """The objects that it has read and was not given, with their stamps at that time."""
    read: tuple[int, ...]
    """The positions of the given objects that it has read."""
    assumed: Assumed
    """The assumed outcomes of tests that it depends on."""
    flags: LoopActivity
    """The operations by which it may make the calling loop hot."""
    readers: frozenset[tuple[Scope, Function]]
    """The activations around functions that it has read, each with the function that read it."""
    counts: Counts
    depth: int
    """The number of calls that led there."""
    notes: Notes
    """The events that it recorded."""
    renamings: dict[Atoms, tuple[Renaming, Notes]]
    """The events for other loops and inputs, as far as they were requested."""

    def holds(self, call_inputs: CallInputs) -> bool:
        """Whether the state on which it depends is unchanged, so that it is valid for the present
        arguments."""
        if self.fixed:
            pairs = zip(self.call_inputs.atoms, call_inputs.atoms, strict=True)
            if any(one is not other for one, other in pairs if one in self.fixed):
                return False
        return all(held.stamp == stamp for held, stamp in self.reads)


class Contexts:
    """The stored results of a run."""

    def __init__(self) -> None:
        self._outcomes: dict[int, Outcome] = {}
        self._supposed: dict[int, Outcome] | None = None
        """Those under the present hypothesis, if any: each hypothesis has to record the same events
        itself."""

    def find(self, key: int, call_inputs: CallInputs) -> Outcome | None:
        """The stored result for a context, if it is valid."""
        found = self._outcomes.get(key)
        if found is None and self._supposed is not None:
            found = self._supposed.get(key)
        return found if found is not None and found.holds(call_inputs) else None

    def keep(self, key: int, outcome: Outcome) -> None:
        """Store a result."""
        (self._outcomes if self._supposed is None else self._supposed)[key] = outcome

    def suppose(self) -> None:
        """Start a hypothesis, and discard the results under the last one."""
        self._supposed = {}


def tensors_in(call_inputs: Iterable[Value]) -> tuple[Tensor, ...]:
    """The tensors among some values and their alternatives, in order."""
    found: list[Tensor] = []
    for each in call_inputs:
        if type(each) is Tensor:
            found.append(each)
        elif type(each) is Union:
            found += (one for one in each.alternatives if type(one) is Tensor)
    return tuple(found)


def tensors_of(objects: dict[Object, Object]) -> Iterator[tuple[Tensor, Tensor]]:
    """The tensors in objects, paired with those of the objects that take their places."""
    for one, other in objects.items():
        if one is other or isinstance(one, Scope):
            continue
        for key, each in one.cells.items():
            if type(each) is Tensor or type(each) is Union:  # few cells hold tensors
                yield from zip(tensors_in((each,)), tensors_in((other.cells.get(key, TOP),)), strict=False)
        if isinstance(one, Function) and isinstance(other, Function):
            now = {name: held for _, name, held in captured(other)}
            for _, name, each in captured(one):
                yield from zip(tensors_in((each,)), tensors_in((now.get(name, TOP),)), strict=False)


def structures_from(roots: Sequence[Object]) -> tuple[Object, ...]:
    """The structures reachable from some others, each once."""
    if len(roots) < 2:
        return reached(roots[0]) if roots else ()
    found: dict[Object, None] = {}
    for each in roots:
        if each not in found:
            found.update(dict.fromkeys(reached(each)))
    return tuple(found)


def are_described(readers: Iterable[tuple[Scope, Function]], call_inputs: CallInputs) -> bool:
    """Whether the functions that a call was given describe all names that it may have read of the activations
    around them: other functions, such as the methods of a class, may read others."""
    given = set(call_inputs.objects)
    read = {
        (scope, name)
        for around, reader in readers
        if around in given
        for scope, name, _ in captured(reader)
        if scope is around
    }
    if not read:
        return True
    described = {
        (scope, name) for each in given if isinstance(each, Function) for scope, name, _ in captured(each)
    }
    return read <= described


def taking_places(
    readers: Iterable[tuple[Scope, Function]], objects: dict[Object, Object]
) -> Iterator[tuple[Scope, Function]]:
    """The activations and functions of a stored call, or those that take their places in another one."""
    for scope, reader in readers:
        around, function = objects.get(scope, scope), objects.get(reader, reader)
        assert isinstance(around, Scope) and isinstance(function, Function)
        yield around, function
