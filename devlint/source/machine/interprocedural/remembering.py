"""Reuse of stored results: a call in an equal context is not executed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import NamedTuple

from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.loops import Loop, LoopActivity
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import Object, Value
from devlint.source.machine.heap.closures import activations, activations_of, captured
from devlint.source.machine.heap.defaults import default_device, tensor_type_device
from devlint.source.machine.heap.derived import structures
from devlint.source.machine.heap.files import Function, Scope
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.interprocedural.assumptions import (
    NONE_ASSUMED,
    Assumed,
    Readable,
    inputs_of,
    readable,
    relevant,
)
from devlint.source.machine.interprocedural.context_keys import Atom, Atoms, Keys
from devlint.source.machine.interprocedural.contexts import (
    CallInputs,
    CellChange,
    Contexts,
    Counts,
    EventContext,
    Notes,
    Outcome,
    are_described,
    structures_from,
    taking_places,
    tensors_in,
    tensors_of,
)
from devlint.source.machine.interprocedural.renaming import Copying, NoCopyError, Renaming, Snapshot
from devlint.source.machine.interprocedural.widening import MOST_WITH_NUMBERS, widen_numbers
from devlint.source.machine.modules.registration import take_parameters
from devlint.source.machine.reporting.event_log import ExecutionContext, see
from devlint.source.machine.reporting.occurrences import Occurrence
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.paths import MOST_FORKS

_NOTHING = LoopActivity()
"""The state of a loop that is not hot."""


class _Doing(NamedTuple):
    """The effects of an active call."""

    reads: set[Object]
    readers: set[tuple[Scope, Function]]
    """The activations around functions that it has read, each with the function that read it."""
    notes: Notes


class _Before(NamedTuple):
    """The state at the start of a call."""

    begun: int
    """Objects that the call creates have a greater number."""
    counts: Counts
    asides: list[object]
    draws: int
    identities: int
    requests: int
    depth: int
    """The number of calls that led there."""


class Memory:
    """The stored results of a run."""

    def __init__(self) -> None:
        self.contexts = Contexts()
        self.contexts_of_workers = Contexts()
        self.followed: Counter[tuple[str, int]] = Counter()
        """How many contexts of each function were followed."""
        self.cached: dict[int, Value] = {}
        """The results of functions that cache their results themselves."""


class Remembering:
    """The stored results of a program's calls."""

    def __init__(self, machine: Interpreter) -> None:
        self._machine = machine
        self._keys = Keys()
        self.memory = Memory()
        self._doing: list[_Doing] = []
        """The active calls, the innermost last."""

    def begin(self) -> None:
        """Start a run without stored results."""
        self.memory = Memory()

    def suppose(self) -> None:
        """Start a hypothesis, and discard the results under the last one."""
        self.memory.contexts.suppose()

    @contextmanager
    def in_worker(self) -> Iterator[None]:
        """A context for the calls of a worker process, whose results say nothing about the parent."""
        memory = self.memory
        before, memory.contexts = memory.contexts, memory.contexts_of_workers
        try:
            yield
        finally:
            memory.contexts = before

    def read(self, held: Object) -> None:
        """Record that the active call depends on an object's cells."""
        if self._doing:
            self._doing[-1].reads.add(held)
            reader = self._machine.frame.function
            if isinstance(held, Scope) and held.outer is not None and reader is not None:
                self._doing[-1].readers.add((held, reader))

    def note(self, occurrence: Occurrence) -> None:
        """Record an event of the active call."""
        execution = self._machine.execution
        context = EventContext(execution.periodic, execution.rare, execution.added, execution.chain)
        self._note_all({occurrence: context})

    def once(self, function: Function, scope: Scope, follow: Callable[[], Value]) -> Value:
        """The result of a function that caches its results: it is executed once, whichever loop calls it."""
        execution = self._machine.execution
        loop, execution.loop = execution.loop, None
        around = ExecutionContext(expected=execution.expected)
        parts, atoms = self._keys.key(function, scope, around, by_identity=True)
        key = self._keys.number((*parts, *atoms))
        try:
            if key not in self.memory.cached:
                self.memory.cached[key] = follow()
        finally:
            execution.loop = loop
        return self.memory.cached[key]

    def recalled(self, function: Function, scope: Scope, follow: Callable[[], Value]) -> Value:
        """The result of a call: the stored one of an equal context, or that of executing it."""
        machine = self._machine
        if self.memory.followed[function.identity] >= MOST_WITH_NUMBERS:
            widen_numbers(scope)
        parts, atoms = self._keys.key(function, scope, machine.execution)
        parts += (machine.root_confidence, machine.mixture_confidence, len(machine.chosen))
        parts += map(machine.assigned.stamp, atoms)
        parts += (default_device(machine), tensor_type_device(machine), machine.current_device)
        cells = [*scope.cells.values(), *(value for _, _, value in captured(function))]
        roots = structures(cells)
        met = structures_from(roots)
        scopes = [*activations(function.scope), *activations_of(met)]
        given = readable(cells, roots, scopes) if machine.assumed else None
        assumed = NONE_ASSUMED if given is None else relevant(machine.assumed, given)
        if assumed:
            ours = inputs_of(assumed)  # what is assumed is so of these alone
            parts += (assumed, *(each if each in ours else None for each in atoms))
        parts.append(machine.forks >= MOST_FORKS)
        called = (function,) if function.is_closure else ()
        call_inputs = CallInputs(atoms, tensors_in(cells), (*met, *scopes, *called))
        shown = machine.store.on_host
        parts += self._keys.sharing(roots, met)
        parts += map(scopes.index, scopes)
        if shown:
            parts += tuple(not shown.isdisjoint(bases(each)) for each in atoms if isinstance(each, Input))
            parts += (frozenset(each for each in shown if not isinstance(each, Input)),)
        key = self._keys.number(parts)
        known = self.memory.contexts.find(key, call_inputs)
        if known is not None and known.assumed == self._assumed(given, [each for each, _ in known.reads]):
            return self._said_again(known, call_inputs)
        self.memory.followed[function.identity] += 1
        begun = new_serial()
        scope.number = new_serial()  # the names are the call's own, what they hold is not
        return self._followed(key, call_inputs, given, begun, follow)

    def _assumed(self, given: Readable | None, others: Collection[Object]) -> Assumed:
        """The assumptions that a call depends on, which was given something and read other objects."""
        return NONE_ASSUMED if given is None else relevant(self._machine.assumed, given.beside(others))

    # Calls that are followed

    def _followed(
        self,
        key: int,
        call_inputs: CallInputs,
        given: Readable | None,
        begun: int,
        follow: Callable[[], Value],
    ) -> Value:
        doing, before = _Doing(set(), set(), {}), self._before(call_inputs, begun)
        store = self._machine.store
        self._doing.append(doing)
        store.enter(begun)
        loop = self._machine.execution.loop
        before_it = _set_flags(loop, _NOTHING)
        try:
            result = follow()
        finally:
            flags = _set_flags(loop, before_it)
            if loop is not None:
                loop.flags |= flags
            changes = store.leave()
            self._doing.pop()
        if self._doing:
            self._doing[-1].reads.update(doing.reads)
            self._doing[-1].readers.update(doing.readers)
            self._note_all(doing.notes)
        facts = self._machine.process.facts
        requested = facts.requests[before.requests :]
        same = before.identities == facts.identities and before.asides == _asides(call_inputs.objects)
        same &= not self._machine.assigned.changes_since(begun)
        concerned = [*requested, *(target for target, *_ in changes.values())]
        if same and _are_given(concerned, call_inputs) and are_described(doing.readers, call_inputs):
            with suppress(NoCopyError):
                outcome = self._outcome(result, changes, call_inputs, given, before, doing, flags)
                self.memory.contexts.keep(key, outcome)
        return result

    def _before(self, call_inputs: CallInputs, begun: int) -> _Before:
        machine = self._machine
        return _Before(
            begun,
            self._counts(),
            _asides(call_inputs.objects),
            len(machine.store.draws),
            machine.process.facts.identities,
            len(machine.process.facts.requests),
            len(machine.execution.chain),
        )

    def _outcome(
        self,
        result: Value,
        changes: Changes,
        call_inputs: CallInputs,
        given: Readable | None,
        before: _Before,
        doing: _Doing,
        flags: LoopActivity,
    ) -> Outcome:
        """The result of a call, with the objects that it created in their present state.

        Raises: | NoCopyError: one of these has no copy, so that the result holds for no other call.
        """
        own = {each: at for at, each in enumerate(call_inputs.objects)}
        requests = self._machine.process.facts.requests[before.requests :]
        drawn = dict(reversed(self._machine.store.draws[before.draws :]))  # with the first loop of each
        kept = Snapshot(before.begun, {each: each for each in own})
        others = [each for each in doing.reads if each not in own and each.number < before.begun]
        return Outcome(
            kept.value(result),
            tuple(
                CellChange(target, name, None if left is None else kept.value(left))
                for target, name, _, left in changes.values()
            ),
            tuple(
                (each, each.drawn) for each, loop in drawn.items() if each in own and each.drawn is not loop
            ),
            before.begun,
            call_inputs,
            self._fixed(call_inputs.atoms, others),
            tuple(
                (each.evident, each.moved, each.moved_in_place, each.has_dimensions)
                if isinstance(each, Input)
                else None
                for each in call_inputs.atoms
            ),
            tuple({own[each] for each in requests}),
            tuple((each, each.stamp) for each in others),
            tuple(own[each] for each in doing.reads if each in own),
            self._assumed(given, others),
            flags,
            frozenset(doing.readers),
            self._counts().since(before.counts),
            before.depth,
            doing.notes,
            {},
        )

    def _fixed(self, atoms: Atoms, reads: Iterable[Object]) -> frozenset[Atom]:
        """The loops and inputs of a call that are also reachable from the outer scopes that it reads."""
        if not atoms:
            return frozenset()
        met: set[Atom] = set()
        for held in reads:
            if isinstance(held, Scope):
                met.update(self._keys.atoms(held))
        return frozenset(met.intersection(atoms))

    def _counts(self) -> Counts:
        return Counts.of(self._machine)

    # Calls in equal contexts

    def _said_again(self, known: Outcome, call_inputs: CallInputs) -> Value:
        renaming, notes = self._renamed(known, call_inputs.atoms)
        for occurrence in notes:
            see(occurrence.event, occurrence.loop)
        self._note_all(notes)
        self._done_again(known, call_inputs)
        same = known.call_inputs.objects == call_inputs.objects
        objects = {} if same else dict(zip(known.call_inputs.objects, call_inputs.objects, strict=True))
        if self._doing:
            self._doing[-1].readers.update(taking_places(known.readers, objects))
        tensors = zip(known.call_inputs.tensors, call_inputs.tensors, strict=True)
        copying = Copying(known.begun, renaming, objects, (*tensors, *tensors_of(objects)))
        store = self._machine.store
        for target, name, left in known.changes:
            store.write(objects.get(target, target), name, None if left is None else copying.value(left))
        for each, loop in known.drawn:
            instance = objects.get(each, each)
            assert isinstance(instance, Instance)
            store.draw(instance, renaming.loop(loop))
        for at in known.requested:
            module = call_inputs.objects[at]
            assert isinstance(module, Instance)
            take_parameters(self._machine, module)
        return copying.value(known.result)

    def _done_again(self, known: Outcome, call_inputs: CallInputs) -> None:
        """Apply a stored result's counts, and what it shows about inputs."""
        machine = self._machine
        counts = known.counts
        if machine.execution.loop is not None:
            machine.execution.loop.flags |= known.flags
        machine.waits += counts.waits
        machine.work += counts.work
        machine.sure_work += counts.sure_work
        machine.written += counts.written
        machine.trained += counts.trained
        for atom, shown in zip(call_inputs.atoms, known.shown, strict=True):
            if isinstance(atom, Input) and shown is not None:
                evident, moved, atom.moved_in_place, has_dimensions = shown
                atom.evident, atom.moved = atom.evident or evident, atom.moved or moved
                atom.has_dimensions = atom.has_dimensions or has_dimensions
        if self._doing:
            reads = self._doing[-1].reads
            reads.update(each for each, _ in known.reads)
            reads.update(call_inputs.objects[at] for at in known.read)

    def _renamed(self, known: Outcome, atoms: Atoms) -> tuple[Renaming, Notes]:
        """The renaming of loops and inputs from a stored call to an equal one, and the events after it."""
        renamed = known.renamings.get(atoms)
        if renamed is None:
            renaming = Renaming(known.call_inputs.atoms, atoms)
            same = all(one is other for one, other in zip(known.call_inputs.atoms, atoms, strict=True))
            notes = known.notes if same else self._noted_anew(known, renaming)
            renamed = known.renamings[atoms] = renaming, notes
        return renamed

    def _noted_anew(self, known: Outcome, renaming: Renaming) -> Notes:
        """Record the events of a call again, with other loops and inputs."""
        execution, notes = self._machine.execution, Notes()
        for occurrence, note in known.notes.items():
            chain = (*execution.chain, *note.chain[known.depth :])
            loop = renaming.loop(occurrence.loop)
            there = replace(execution, **note._replace(chain=chain)._asdict(), loop=loop)
            inputs = tuple(map(renaming.input, occurrence.inputs))
            placed = tuple(map(renaming.input, occurrence.placed))
            again = self._machine.log.add(occurrence.event, there, inputs, placed)
            if again is not None:
                notes[again] = note._replace(chain=chain)
        return notes

    def _note_all(self, notes: Notes) -> None:
        if not self._doing:
            return
        own = self._doing[-1].notes
        for occurrence, note in notes.items():
            known = own.get(occurrence)
            own[occurrence] = note if known is None else known.joined(note)


def _set_flags(loop: Loop | None, flags: LoopActivity) -> LoopActivity:
    """Reset the activity of a loop, and return it."""
    if loop is None:
        return _NOTHING
    before, loop.flags = loop.flags, flags
    return before


def _asides(objects: Iterable[Object]) -> list[object]:
    """The state of objects that is not in their cells."""
    return [
        (each.left_out, len(each.arguments)) if isinstance(each, Instance) else each.kept
        for each in objects
        if isinstance(each, (Instance, Container))
    ]


def _are_given(objects: Collection[Object], call_inputs: CallInputs) -> bool:
    """Whether a call was given some objects."""
    return not objects or set(call_inputs.objects).issuperset(objects)
