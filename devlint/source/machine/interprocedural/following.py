"""Calls of the project's functions, which are executed once for each context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from devlint.model import Concrete, SiteId
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import NONE, TOP, Known, Object, Reference, Value
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Frame, Passed, Resumed
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Container, GeneratorObject, Instance
from devlint.source.machine.interprocedural.given_data import GivenData
from devlint.source.machine.interprocedural.remembering import Remembering
from devlint.source.machine.modules.state import is_module, module_of, placement
from devlint.source.machine.transfer.emptiness import result_of
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.meeting import widen_again

_DEEPEST = 24
"""The depth of nested calls beyond which calls are not followed."""
_DEEPEST_GENERATOR = 20
"""The depth beyond which generators are not executed."""
_MOST_RECURSIVE = 3
"""The number of active calls of a function beyond which its calls are not followed, unless each gets another
part of a structure: a module in a module, a list in a list."""
_DEEPEST_DESCENT = 12
"""The number of active calls of a function that descends into a structure."""
STEPS_PER_NODE = 24
STEPS_PER_NODE_OF_OTHERS = 6
LEAST_STEPS = 6_000
"""The budget of a run, in steps: this number, and more for each statement and expression of the file, and of
each other file that imports torch and is reached by calls. Until a file that imports torch is reached, the
file itself counts as one of the others."""
_AS_BEFORE = nullcontext()


class Following:
    """The calls of a program: the active ones, the functions that were reached, and the stored results."""

    def __init__(self, machine: Interpreter, file: File | None = None) -> None:
        self._machine = machine
        self.budget = LEAST_STEPS
        self._added = 0
        """The part of the budget that is added when calls reach the first file that imports torch."""
        if file is not None:
            self.budget += STEPS_PER_NODE_OF_OTHERS * file.size
            self._added = (STEPS_PER_NODE - STEPS_PER_NODE_OF_OTHERS) * file.size
            if file.knows_torch:
                self._add_budget()
        self.files: set[File] = set() if file is None else {file}
        """The file at which the program starts, and the files reached by its calls."""
        self.reached: set[tuple[str, SiteId]] = set()
        """The functions that were followed."""
        self.called: set[tuple[str, str]] = set()
        """The functions that the program itself calls, without a hypothesis: file and qualified name."""
        self.given = GivenData()
        """What functions of other files are given under hypotheses."""
        self._weighs = False
        self._supposed: tuple[Value, ...] = ()
        """The object and the arguments that the present hypothesis calls a method with."""
        self.remembering = Remembering(machine)
        self.begin()

    def begin(self) -> None:
        """Start a run, without active calls and stored results."""
        self._depth = 0
        self._running: dict[tuple[str, SiteId], int] = {}
        self._given: dict[tuple[str, SiteId], list[_Given]] = {}
        self.remembering.begin()

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no further call is followed."""
        return self._machine.steps > self.budget

    def may_follow(self, function: Function, passed: Sequence[Passed]) -> bool:
        """Whether a call is followed: the budget is not used up, and it is neither nested too deep nor too
        often recursive."""
        if self.is_exhausted() or self._depth >= _DEEPEST:
            return False
        running = self._running.get(function.identity, 0)
        return running < _MOST_RECURSIVE or (running < _DEEPEST_DESCENT and self._descends(function, passed))

    def _descends(self, function: Function, passed: Sequence[Passed]) -> bool:
        """Whether a recursive call gets a part of a structure that was there before the first of the active
        calls, and that none of these got, so that there are only a few; or what is no structure, from a call
        that got one."""
        active = self._given.get(function.identity)
        if not active:
            return False
        parts = _structures(each.value for each in passed)
        if not parts:
            return bool(_structures(active[-1].values))
        known = frozenset().union(*(_structures(each.values) for each in active))
        return any(each.number < active[0].begun and each not in known for each in parts)

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """The result of a function's call in its context."""
        passed_cells = tuple(scope.cells.values()) if self._weighs else ()
        if function.file not in self.files:
            self.files.add(function.file)
            if function.file.knows_torch:
                self.budget += STEPS_PER_NODE_OF_OTHERS * function.file.size
                self._add_budget()
        remember = self.remembering.once if "cached" in function.marks else self.remembering.recalled
        with self._supposing(function, scope) if self._machine.execution.hypothesis else _AS_BEFORE:
            returned = remember(function, scope, lambda: self._activated(function, scope, site))
        if not (self._weighs and _is_undecided(function, passed_cells)):
            self._reach(function)
        return returned

    @contextmanager
    def _supposing(self, function: Function, scope: Scope) -> Iterator[None]:
        """A context for a call under a hypothesis. Where the called method hands its object and its arguments
        on as they are, as in `def act(self, x): return self.step(x)[0]`, what follows rests on the hypothesis
        that the other method is called."""
        execution = self._machine.execution
        before = execution.hypothesis
        passed = tuple(scope.cells.values())
        if function.file is not self._machine.program and self._machine.worker is None:
            self.given.note(function, passed, execution)
        if not execution.chain:
            self._supposed = passed
            self.given.start(function, passed)
        elif len(execution.chain) == 1 and _are_handed_on(passed, self._supposed):
            execution.hypothesis = function.qualname
            if (function.file.path, function.qualname) in self.called:
                self._machine.log.discard(function.qualname)
        try:
            yield
        finally:
            self._machine.log.hand_on(before, execution.hypothesis)
            execution.hypothesis = before

    @contextmanager
    def weighing(self) -> Iterator[None]:
        """A context for trying callers of modules. They show how a module is used only if they determine its
        device and that of its arguments."""
        self._weighs = True
        try:
            yield
        finally:
            self._weighs = False

    @contextmanager
    def for_derived(self, function: Function) -> Iterator[None]:
        """A context for trying an inherited method with a derived class, which does not show how the base
        class is used."""
        known = function.identity in self.reached
        yield
        if not known:
            self.reached.discard(function.identity)

    def _add_budget(self) -> None:
        self.budget += self._added
        self._added = 0

    # Activations

    def _activated(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """Execute a function's body."""
        machine = self._machine
        frame = Frame(function.file, scope, function, machine.optional)
        chain, loop = machine.execution.chain, machine.execution.loop
        counted = loop is not None and loop.hot_inside
        on_host = machine.store.on_host
        self._enter(function, site)
        given = self._given.setdefault(function.identity, [])
        given.append(_Given(new_serial(), tuple(scope.cells.values())))
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
            widen_again(machine, frame)
            self._leave(function, chain)
            given.pop()
            machine.store.on_host = on_host
            if loop is not None and _is_forward(function):
                loop.hot_inside = counted  # the loops of a module's forward are parts of one pass
        if end in (End.NEXT, End.BREAK, End.CONTINUE):
            frame.returns.append(NONE)
        return result_of(machine, frame)

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[Container, bool]:
        """A list of what a generator yields, and whether it draws from a data loader."""
        function = held.function
        if not self._may_run(function):
            return Container("list"), False
        self._reach(function)
        scope, site = _own_scope(held), frame.site(node)
        execution = self._machine.execution
        outer_loop = execution.loop
        resumed = _resumed(held, outer_loop, frame, node)
        try:
            if resumed is None:
                marker = execution.loop = Loop(outer_loop, site, turns=1)
                yields = self.remembering.recalled(
                    function, scope, lambda: self._yielded(function, scope, site)
                )
            else:
                # The key of a stored result knows the loops around a call, and these are not around it.
                execution.loop, marker = resumed
                yields = self._yielded(function, scope, site, resumed)
        finally:
            execution.loop = outer_loop
        assert isinstance(yields, Reference)
        assert isinstance(yields.target, Container)
        return yields.target, marker.hot_inside and not marker.trained

    def run_around(self, held: GeneratorObject, site: SiteId, inside: Callable[[Value], None]) -> bool:
        """Execute a generator, and something at each `yield`, with the yielded value. Returns whether it was
        followed."""
        function = held.function
        if not self._may_run(function):
            return False
        self._reach(function)
        machine = self._machine
        frame = Frame(function.file, _own_scope(held), function, machine.optional)
        chain = machine.execution.chain

        def at_yield(given: Value) -> None:
            self._leave(function, chain)
            try:
                inside(given)
            finally:
                self._enter(function, site)

        frame.at_yield = at_yield
        self._run(frame, function, site)
        return True

    def _yielded(
        self, function: Function, scope: Scope, site: SiteId, resumed: Resumed | None = None
    ) -> Value:
        """Execute the body of a generator. Returns a list of what it yields."""
        frame = Frame(function.file, scope, function, self._machine.optional)
        frame.resumed = resumed
        frame.yields = Container("list")
        yielded = self._machine.adopt(frame.yields)
        self._run(frame, function, site)
        return yielded

    def _may_run(self, generator: Function) -> bool:
        is_running = self._running.get(generator.identity, 0) > 0
        return not (self.is_exhausted() or is_running or self._depth > _DEEPEST_GENERATOR)

    def _run(self, frame: Frame, generator: Function, site: SiteId) -> None:
        chain = self._machine.execution.chain
        self._enter(generator, site)
        try:
            body = generator.node.body
            assert isinstance(body, tuple)
            self._machine.run_block(body, frame)
        finally:
            widen_again(self._machine, frame)
            self._leave(generator, chain)

    def _reach(self, function: Function) -> None:
        if self._machine.execution.expected:
            return  # a call that is expected to fail does not show how the function is used
        self.reached.add(function.identity)
        # Workers of data loaders run on the host, whoever uses the data set.
        if not self._machine.execution.hypothesis or self._machine.worker is not None:
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


class _Given(NamedTuple):
    """What an active call of a function was given."""

    begun: int
    """A number greater than that of each object that was there before."""
    values: tuple[Value, ...]


def _structures(values: Iterable[Value]) -> frozenset[Object]:
    """The objects among some values that usually consist of parts which do not contain them."""
    targets = [each.target for each in values if isinstance(each, Reference)]
    return frozenset(each for each in targets if isinstance(each, Container) or _is_module(each))


def _is_module(held: Object) -> bool:
    return isinstance(held, Instance) and is_module(held)


def _own_scope(generator: GeneratorObject) -> Scope:
    """The names of a run of a generator, at its start."""
    scope = Scope(generator.arguments.outer, generator.function.file)
    scope.cells = dict(generator.arguments.cells)
    return scope


def _resumed(
    held: GeneratorObject, loop: Loop | None, frame: Frame, node: ir.Expression | ir.Statement
) -> Resumed | None:
    """The loops around the body of a generator that was created before a loop, whose turns resume it, or from
    which another such generator yields; None if each turn creates it."""
    own = frame.resumed
    if own is not None and loop is own.before and isinstance(node, ir.Yield):
        return own
    if loop is None or loop is held.born or not _is_around(held.born, loop):
        return None
    # What it makes at its start and yields later is another value in each turn: it has the loop's own site.
    before = Loop(held.born, loop.site, turns=1, periodic=held.periodic)
    return Resumed(before, Loop(loop, frame.site(node), turns=1))


def _is_around(loop: Loop | None, inner: Loop) -> bool:
    """Whether a loop begins inside another one; all do in None, which stands for no loop."""
    each: Loop | None = inner
    while each is not None and each is not loop:
        each = each.before
    return each is loop


def _is_forward(function: Function) -> bool:
    return (
        function.name == "forward"
        and function.owner is not None
        and any(map(is_module_class, function.owner.externals))
    )


def _are_handed_on(passed: tuple[Value, ...], supposed: tuple[Value, ...]) -> bool:
    """Whether a call gets the object and some arguments of another one as they are, and nothing else but
    defaults."""
    if not passed or not supposed or not isinstance(passed[0], Reference) or passed[0] != supposed[0]:
        return False
    others = [each for each in passed[1:] if not isinstance(each, Known)]
    return all(any(each is one for one in supposed[1:]) for each in others)


def _is_undecided(function: Function, passed_cells: tuple[Value, ...]) -> bool:
    """Whether a method of a module received tensors, or was called on a module, with a device that a
    hypothesis assumes."""
    if function.owner is None or not any(map(is_module_class, function.owner.externals)):
        return False
    if any(isinstance(each, Input) and each.evident for each in passed_cells[1:]):
        return True
    module = module_of(passed_cells[0]) if passed_cells else None
    parameters = None if module is None else placement(module)
    return parameters is None or not isinstance(parameters.device, Concrete)
