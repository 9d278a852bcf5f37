"""Calls as they are followed: into the function that is called, once for each context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from devlint.model import Concrete, SiteId
from devlint.source import ir
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import NONE, TOP, Input, Value
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import GeneratorObject
from devlint.source.machine.interprocedural.remembering import Remembering
from devlint.source.machine.modules.state import module_of, placement
from devlint.source.machine.transfer.emptiness import result_of
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.interpreter import Interpreter

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
other file that imports torch and to which its calls lead."""


def budget_of(file: File) -> int:
    """How many steps a run of a file may take."""
    return LEAST_STEPS + STEPS_PER_NODE * file.size


class Following:
    """The calls of one program: which are being followed, which were, and what those came to."""

    def __init__(self, machine: Interpreter, file: File | None = None) -> None:
        self._machine = machine
        self.budget = LEAST_STEPS if file is None else budget_of(file)
        self.files: set[File] = set() if file is None else {file}
        """The file at which the program starts, and those to which its calls led."""
        self.reached: set[tuple[str, SiteId]] = set()
        """The functions that were followed."""
        self.called: set[tuple[str, str]] = set()
        """Those that the program itself calls, and no hypothesis: file and qualified name."""
        self._weighs = False
        self.remembering = Remembering(machine)
        self.begin()

    def begin(self) -> None:
        """Begin a run: nothing is being followed, nothing is remembered."""
        self._depth = 0
        self._running: dict[tuple[str, SiteId], int] = {}
        self.remembering.begin()

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no call is followed any more."""
        return self._machine.steps > self.budget

    def may_follow(self, function: Function) -> bool:
        """Whether a call is followed: within the budget, not too deep, not too often within itself."""
        if self.is_exhausted() or self._depth >= _DEEPEST:
            return False
        return self._running.get(function.identity, 0) < _MOST_RECURSIVE

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a call of a function comes to in its context."""
        passed_cells = tuple(scope.cells.values())
        if function.file not in self.files:
            self.files.add(function.file)
            if function.file.knows_torch:
                self.budget += STEPS_PER_NODE_OF_OTHERS * function.file.size
        remember = self.remembering.once if "cached" in function.marks else self.remembering.recalled
        returned = remember(function, scope, lambda: self._activated(function, scope, site))
        if not (self._weighs and _is_undecided(function, passed_cells)):
            self._reach(function)
        return returned

    @contextmanager
    def weighing(self) -> Iterator[None]:
        """Try callers of modules: how they use one is known only where they decide where it and its tensors
        lie."""
        self._weighs = True
        try:
            yield
        finally:
            self._weighs = False

    @contextmanager
    def for_derived(self, function: Function) -> Iterator[None]:
        """Try an inherited method for a derived class: how that uses it is not how its owner does."""
        known = function.identity in self.reached
        yield
        if not known:
            self.reached.discard(function.identity)

    # Activations

    def _activated(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """Run a function's body."""
        machine = self._machine
        frame = Frame(function.file, scope, function)
        chain = machine.execution.chain
        self._enter(function, site)
        if machine.watch is not None:
            for each in function.node.parameters:
                machine.watch.note(each, scope.cells.get(each.name, TOP), machine, frame)
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
        return result_of(frame)

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
        execution = self._machine.execution
        chain, outer_loop = execution.chain, execution.loop
        marker = execution.loop = Loop(outer_loop, frame.site(node), turns=1)
        self._enter(function, frame.site(node))
        try:
            body = function.node.body
            assert isinstance(body, tuple)
            self._machine.run_block(body, inner)
        finally:
            self._leave(function, chain)
            execution.loop = outer_loop
        return inner.yields, marker.hot_inside and not marker.trained

    def _reach(self, function: Function) -> None:
        if self._machine.execution.expected:
            return  # how it fails says nothing of how it is used
        self.reached.add(function.identity)
        if not self._machine.execution.hypothesis:
            self.called.add((function.file.path, function.qualname))

    def _enter(self, function: Function, site: SiteId) -> None:
        machine = self._machine
        machine.execution.chain = (*machine.execution.chain, site)
        self._running[function.identity] = self._running.get(function.identity, 0) + 1
        self._depth += 1

    def _leave(self, function: Function, chain: tuple[SiteId, ...]) -> None:
        self._depth -= 1
        self._running[function.identity] -= 1
        self._machine.execution.chain = chain


def _is_undecided(function: Function, passed_cells: tuple[Value, ...]) -> bool:
    """Whether a method of a module was given tensors, or was called on a module, of which a hypothesis
    supposes where they lie."""
    if function.owner is None or not any(map(is_module_class, function.owner.externals)):
        return False
    if any(isinstance(each, Input) and each.evident for each in passed_cells[1:]):
        return True
    module = module_of(passed_cells[0]) if passed_cells else None
    parameters = None if module is None else placement(module)
    return parameters is None or not isinstance(parameters.device, Concrete)
