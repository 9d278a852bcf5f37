"""Calls as they are followed: into the function that is called, once for each context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import NONE, Object, Value, new_serial
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import GeneratorObject
from devlint.source.machine.interprocedural.contexts import (
    Contexts,
    Key,
    Keys,
    Outcome,
    again,
    is_rememberable,
    serials,
)
from devlint.source.machine.reporting.event_log import Surroundings
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.machine import Machine

_DEEPEST = 24
"""Calls nested deeper than this are not followed."""
_DEEPEST_GENERATOR = 20
"""Generators that are drawn from deeper than this are not run."""
_MOST_RECURSIVE = 2
"""A function is followed into itself so many times."""
STEPS_PER_NODE = 24
STEPS_PER_NODE_OF_OTHERS = 6
LEAST_STEPS = 6_000
"""The budget of a run: so many steps, and more for each statement and expression of the file, and of each
other file to which its calls lead."""


def budget_of(file: File) -> int:
    """How many steps a run of a file may take."""
    return LEAST_STEPS + STEPS_PER_NODE * file.size


class Following:
    """The calls of one program: which are being followed, which were, and what those came to."""

    def __init__(self, machine: Machine, file: File | None = None) -> None:
        self._machine = machine
        self.budget = LEAST_STEPS if file is None else budget_of(file)
        self.files: set[File] = set() if file is None else {file}
        """The file at which the program starts, and those to which its calls led."""
        self.reached: set[tuple[str, SiteId]] = set()
        """The functions that were followed."""
        self.called: set[tuple[str, str]] = set()
        """Those that the program itself calls, and no hypothesis: file and qualified name."""
        self.reads: list[set[Object]] = []
        """The objects on which rest the calls that are being followed, those of the innermost last."""
        self._keys = Keys()
        self._contexts = Contexts()
        self._contexts_of_workers = Contexts()
        self.begin()

    def begin(self) -> None:
        """Begin a run: nothing is being followed, nothing is remembered."""
        self._depth = 0
        self._running: dict[tuple[str, SiteId], int] = {}
        self._contexts.clear()
        self._contexts_of_workers.clear()

    def suppose(self) -> None:
        """Begin with a hypothesis, and forget what came of the last one."""
        self._contexts.suppose()

    @contextmanager
    def in_worker(self) -> Iterator[None]:
        """Follow what a worker process calls; what that comes to in the parent says nothing of it."""
        before, self._contexts = self._contexts, self._contexts_of_workers
        try:
            yield
        finally:
            self._contexts = before

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no call is followed any more."""
        return self._machine.steps > self.budget

    def may_follow(self, function: Function) -> bool:
        """Whether a call is followed: within the budget, not too deep, not too often within itself."""
        if self.is_exhausted() or self._depth >= _DEEPEST:
            return False
        return self._running.get(function.identity, 0) < _MOST_RECURSIVE

    # Contexts

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a call of a function comes to in its context."""
        self._reach(function)
        if function.file not in self.files:
            self.files.add(function.file)
            self.budget += STEPS_PER_NODE_OF_OTHERS * function.file.size
        around = self._machine.around
        if "cached" in function.marks:
            return self._followed_once(function, scope, site)
        key = self._keys.key(function, scope, around)
        key += (self._machine.root_confidence, *self._machine.assumed.items())
        known = self._contexts.find(key)
        if known is not None:
            self._replay(known)
            return again(known, scope.cells.values(), known.result)
        return self._followed_anew(key, function, scope, site)

    def _followed_anew(self, key: Key, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a call comes to that is not remembered; from now on it is, if another is sure to be alike."""
        machine = self._machine
        self.reads.append(set())
        writes, loop = machine.store.writes, machine.around.loop
        flags = _flags(loop)
        waits, work, sure_work = machine.waits, machine.work, machine.sure_work
        begun, given = new_serial(), serials(scope.cells.values())
        result = self._activated(function, scope, site)
        reads = self.reads.pop()
        if self.reads:
            self.reads[-1] |= reads
        if machine.store.writes == writes and is_rememberable(result):
            trained, drew, called_module, worked, hot_inside = (
                now and not before for now, before in zip(_flags(loop), flags, strict=True)
            )
            outcome = Outcome(
                result,
                begun,
                given,
                tuple((held, held.stamp) for held in reads),
                trained,
                drew,
                called_module,
                worked,
                hot_inside,
                waits=machine.waits - waits,
                work=machine.work - work,
                sure_work=machine.sure_work - sure_work,
            )
            self._contexts.keep(key, outcome)
        return result

    def _followed_once(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a function comes to that remembers its results: it runs once, whatever loop calls it."""
        around = self._machine.around
        loop, around.loop = around.loop, None
        key = ("cached", *self._keys.key(function, scope, Surroundings(expected=around.expected)))
        known = self._contexts.find(key)
        try:
            if known is not None:
                return known.result
            result = self._activated(function, scope, site)
        finally:
            around.loop = loop
        self._contexts.keep(key, Outcome(result, 0, (), (), *_flags(None), waits=0, work=0, sure_work=0))
        return result

    def _replay(self, known: Outcome) -> None:
        machine = self._machine
        loop = machine.around.loop
        if loop is not None:
            loop.trained |= known.trained
            loop.drew |= known.drew
            loop.called_module |= known.called_module
            loop.worked |= known.worked
            loop.hot_inside |= known.hot_inside
        machine.waits += known.waits
        machine.work += known.work
        machine.sure_work += known.sure_work
        if self.reads:
            self.reads[-1].update(held for held, _ in known.reads)

    # Activations

    def _activated(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """Run a function's body."""
        machine = self._machine
        frame = Frame(function.file, scope, function)
        chain = machine.around.chain
        self._enter(function, site)
        scope.fresh = machine.store.depth
        try:
            body = function.node.body
            if isinstance(function.node, ir.Lambda):
                assert not isinstance(body, tuple)
                outer, machine.frame = machine.frame, frame
                try:
                    return machine.evaluate(body, frame)
                finally:
                    machine.frame = outer
            assert isinstance(body, tuple)
            end = machine.run_block(body, frame)
        finally:
            self._leave(function, chain)
        if end in (End.NEXT, End.BREAK, End.CONTINUE):
            frame.returns.append(NONE)
        return join_all(frame.returns)

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[list[Value], bool]:
        """What a generator yields, and whether it draws from a data loader."""
        function = held.function
        if self.is_exhausted() or self._running.get(function.identity, 0) or self._depth > _DEEPEST_GENERATOR:
            return [], False
        self._reach(function)
        scope = Scope(held.arguments.outer, function.file)
        scope.cells = dict(held.arguments.cells)
        inner = Frame(function.file, scope, function)
        around = self._machine.around
        chain, outer_loop = around.chain, around.loop
        marker = around.loop = Loop(outer_loop, frame.site(node), turns=1)
        self._enter(function, frame.site(node))
        try:
            body = function.node.body
            assert isinstance(body, tuple)
            self._machine.run_block(body, inner)
        finally:
            self._leave(function, chain)
            around.loop = outer_loop
        return inner.yields, marker.hot_inside and not marker.trained

    def _reach(self, function: Function) -> None:
        if self._machine.around.expected:
            return  # how it fails says nothing of how it is used
        self.reached.add(function.identity)
        if not self._machine.around.hypothesis:
            self.called.add((function.file.path, function.qualname))

    def _enter(self, function: Function, site: SiteId) -> None:
        machine = self._machine
        machine.around.chain = (*machine.around.chain, site)
        self._running[function.identity] = self._running.get(function.identity, 0) + 1
        self._depth += 1
        machine.store.depth += 1

    def _leave(self, function: Function, chain: tuple[SiteId, ...]) -> None:
        self._machine.store.depth -= 1
        self._depth -= 1
        self._running[function.identity] -= 1
        self._machine.around.chain = chain


def _flags(loop: Loop | None) -> tuple[bool, bool, bool, bool, bool]:
    if loop is None:
        return (False, False, False, False, False)
    return (loop.trained, loop.drew, loop.called_module, loop.worked, loop.hot_inside)
