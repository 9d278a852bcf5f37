"""What calls came to in their contexts, remembered for as long as what they rest on stays the same."""

from __future__ import annotations

from typing import NamedTuple

from devlint.model import Device, SiteId
from devlint.source.machine.domain.loops import Loop, LoopActivity
from devlint.source.machine.domain.values import Object, Tensor, Value
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.interprocedural.context_keys import Atom, Atoms, Key
from devlint.source.machine.interprocedural.renaming import Renaming
from devlint.source.machine.reporting.event_log import Occurrence


class EventContext(NamedTuple):
    """How a call has noted an event."""

    periodic: bool
    rare: bool
    chain: tuple[SiteId, ...]
    """The calls that led there the first time."""


Notes = dict[Occurrence, EventContext]


class Counts(NamedTuple):
    """How much was done so far."""

    waits: int
    work: int
    sure_work: int

    def since(self, before: Counts) -> Counts:
        """How much was done since then."""
        return Counts(*(now - then for now, then in zip(self, before, strict=True)))


class CellChange(NamedTuple):
    """What a call leaves in a cell; None for nothing."""

    target: Object
    key: object
    value: Value | None


class CallInputs(NamedTuple):
    """What a call was given."""

    atoms: Atoms
    """The loops and inputs of its key."""
    tensors: tuple[Tensor, ...]
    """The tensors among its arguments, and in their alternatives, in order."""
    objects: tuple[Object, ...]
    """The objects to which its arguments lead, in the order in which they come to them."""


class Outcome(NamedTuple):
    """What a call came to, and on what that rests."""

    result: Value
    changes: tuple[CellChange, ...]
    """What it has changed in what it was given."""
    drawn: tuple[tuple[Instance, Loop | None], ...]
    """The objects among these that a loop has drawn meanwhile, and which loop."""
    begun: int
    """What was made in the call has a greater number."""
    call_inputs: CallInputs
    fixed: frozenset[Atom]
    """The loops and inputs that it has met elsewhere too, where no others can stand for them."""
    shown: tuple[tuple[bool, bool, Device | None] | None, ...]
    """Of its inputs, whether it has shown each to be a tensor, whether it moves it, and where it moves it in
    place; None for a loop."""
    reads: tuple[tuple[Object, int], ...]
    """The objects that it has read, and was not given, with their stamps at that time."""
    read: tuple[int, ...]
    """The places of those that it was given and has read."""
    flags: LoopActivity
    """What it did that may make the loop hot that calls it."""
    counts: Counts
    depth: int
    """How many calls led there."""
    notes: Notes
    """The events that it has noted."""
    renamings: dict[Atoms, tuple[Renaming, Notes]]
    """What it would have noted with other loops and inputs, as far as that was asked."""

    def holds(self, call_inputs: CallInputs) -> bool:
        """Whether nothing has changed on which it rests, and it says the same of what is given now."""
        if len(self.call_inputs.objects) != len(call_inputs.objects):
            return False  # what was one object is two now, or the other way round
        if self.fixed:
            pairs = zip(self.call_inputs.atoms, call_inputs.atoms, strict=True)
            if any(one is not other for one, other in pairs if one in self.fixed):
                return False
        return all(held.stamp == stamp for held, stamp in self.reads)


class Contexts:
    """The outcomes of calls in one run."""

    def __init__(self) -> None:
        self._outcomes: dict[Key, Outcome] = {}
        self._supposed: dict[Key, Outcome] | None = None
        """Those under the present hypothesis, if there is one: another one is to see the same events."""

    def find(self, key: Key, call_inputs: CallInputs) -> Outcome | None:
        """The outcome in a context, if it still holds."""
        found = self._outcomes.get(key)
        if found is None and self._supposed is not None:
            found = self._supposed.get(key)
        return found if found is not None and found.holds(call_inputs) else None

    def keep(self, key: Key, outcome: Outcome) -> None:
        """Remember an outcome."""
        (self._outcomes if self._supposed is None else self._supposed)[key] = outcome

    def suppose(self) -> None:
        """Begin with a hypothesis, and forget what came of the last one."""
        self._supposed = {}
