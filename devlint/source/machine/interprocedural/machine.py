"""The abstract machine: the state of a run, and the interface of each package."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager

from devlint.model import (
    Concrete,
    Confidence,
    Device,
    Event,
    Setting,
    SettingKind,
    Silence,
    SiteId,
    Subject,
)
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.option_values import GivenText
from devlint.source.machine.domain.values import Imported, Object, Reference, Value
from devlint.source.machine.heap.assigned_attributes import AssignedAttributes
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import BoundMethod, Container, GeneratorObject, Instance, Partial
from devlint.source.machine.heap.paths import is_known_in_part
from devlint.source.machine.heap.process import Process, Worker
from devlint.source.machine.heap.store import Store
from devlint.source.machine.interprocedural import endings, sure_imports
from devlint.source.machine.interprocedural.flags import Flags
from devlint.source.machine.interprocedural.following import Following
from devlint.source.machine.interprocedural.left_over import LeftOver
from devlint.source.machine.interprocedural.linking import Files, Linking, NoFiles
from devlint.source.machine.interprocedural.state import OF_A_PROGRAM, OF_A_RUN, kept
from devlint.source.machine.interprocedural.texts import Texts
from devlint.source.machine.interprocedural.watching import watching
from devlint.source.machine.library import commands, environment, frameworks, names
from devlint.source.machine.reporting.event_log import EventLog, ExecutionContext
from devlint.source.machine.reporting.occurrences import devices_of
from devlint.source.machine.transfer import calls, expressions, statements
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.evaluation import Evaluation
from devlint.source.machine.transfer.interpreter import Evaluators, ValueWatcher
from devlint.source.walk import Node


class AbstractMachine(Evaluation):
    """Executes programs on abstract values."""

    def __init__(self, files: Files | None = None, wanted: frozenset[Subject] = frozenset()) -> None:
        self.wanted = wanted
        self.store = Store()
        self.log = EventLog()
        files = NoFiles() if files is None else files
        self.linking = Linking(self, files)
        self.left_over = LeftOver(files)
        self.following = Following(self)
        self.flags = Flags()
        self.texts = Texts()
        self.evaluators: Evaluators = expressions.EVALUATORS
        self.watch: ValueWatcher | None = None
        self.program: File | None = None
        self.entered: set[SiteId] = set()
        self.repaired: dict[SiteId, Device] = {}
        self.begin()

    @contextmanager
    def watched(self, watch: ValueWatcher | None) -> Iterator[None]:
        """A context in which an observer, or none, receives the values of expressions and names."""
        before = self.watch, self.evaluators
        self.watch = watch
        self.evaluators = expressions.EVALUATORS if watch is None else watching(watch)
        try:
            yield
        finally:
            self.watch, self.evaluators = before

    def start(self, file: File) -> None:
        """Start a program: none of its functions has been followed."""
        self.following = Following(self, file)
        self.program = file
        self.entered = set()
        self.texts = Texts()

    def begin(self) -> None:
        """Start a run with a new process and empty state."""
        self.execution = ExecutionContext()
        self.texts.begin()
        self.current_device: int | None = None
        self.accelerator: Device = Concrete("cuda")
        self.waits = 0
        self.work = 0
        self.sure_work = 0
        self.written = 0
        self.trained = 0
        self.store.arrived = frozenset()
        self.guarded = 0
        self.optional = 0
        self.worker: Worker | None = None
        self.process = Process()
        self.steps = 0
        self.has_outcomes = False
        self.assigned = AssignedAttributes(self.store)
        self.assumed: dict[Hashable, bool] = {}
        self.chosen: dict[Hashable, bool] = {}
        self.forks = 0
        self.root_confidence = Confidence.CERTAIN
        self.mixture_confidence = Confidence.CERTAIN
        self.loads: list[tuple[SiteId, str, str]] = []
        self.saved: list[Value] = []
        self.optimized: set[int] = set()
        self.listed: dict[int, Instance] = {}
        self.handed_over: list[tuple[Call, Value]] = []
        """The functions that the program itself passes to callables that are not read."""
        self.frame: Frame
        self._exited = False
        self.following.begin()

    def run_body(self, file: File) -> None:
        """Execute the statements of a file."""
        self.run_block(file.body, Frame(file, file.scope))

    def run_for_others(self, file: File) -> None:
        """Execute the body of an imported file, independently of the current state."""
        with self._apart(file):
            self.run_body(file)
            environment.note_blocking(self)
            file.process, file.choice = endings.left_by(self.process), self.process.facts.fallback

    @contextmanager
    def _apart(self, file: File) -> Iterator[None]:
        """A context for permanent changes, which no path undoes, and whose events belong to the file.

        Other programs will use the result, so it must not depend on the present program.
        """
        with kept(self, OF_A_PROGRAM):
            self.flags, self.repaired = Flags(), {}
            self.start(file)
            self.begin()
            self.log = file.log
            with self.store.apart():
                yield

    @contextmanager
    def meanwhile(self, file: File) -> Iterator[None]:
        """A context for further runs of a program while one is suspended and then resumed.

        The set of followed functions is common to all of them.
        """
        memory = self.following.remembering.memory
        left = self.store.suspend()
        try:
            with kept(self, OF_A_RUN, file):
                yield
        finally:
            self.following.remembering.memory = memory
            self.store.resume(left)

    @contextmanager
    def repairing(self, file: File, repaired: dict[SiteId, Device]) -> Iterator[None]:
        """A context for another program at a file, in which some factory calls name a device."""
        with kept(self, OF_A_PROGRAM, file), self.watched(None):
            self.repaired = repaired
            yield

    # Events

    def note(self, event: Event, inputs: tuple[Input, ...] = (), placed: tuple[Input, ...] = ()) -> None:
        """Record an event, except on a path on which a test has shown that a device of it is the host, or an
        input no tensor."""
        rests_on = (*devices_of(event), *(one for each in inputs for one in bases(each)))
        if not self.store.on_host.isdisjoint(rests_on):
            self.log.withhold(event, Silence.HOST_DEVICE, self.execution)
            return
        occurrence = self.log.add(event, self.execution, inputs, placed)
        if occurrence is not None:
            self.following.remembering.note(occurrence)

    def asks_for(self, kind: Subject) -> bool:
        """Whether an enabled rule judges settings or registrations of a kind."""
        return kind in self.wanted

    def setting(
        self,
        kind: SettingKind,
        site: SiteId,
        value: str,
        detail: str = "",
        related: SiteId | None = None,
        confidence: Confidence = Confidence.CERTAIN,
    ) -> Setting | None:
        """Record a setting."""
        if kind not in self.wanted:
            return None
        event = Setting(site, None, confidence, kind, value, detail, related)
        self.note(event)
        return event

    def read(self, held: Object) -> None:
        """Record that the current call depends on an object's cells."""
        self.following.remembering.read(held)

    # Expressions and statements

    def evaluate(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value of an expression."""
        self.steps += 1  # as in `expressions.evaluate`, inlined because it is called most often
        return self.evaluators[type(expression)](self, expression, frame)

    def run_block(self, block: ir.Block, frame: Frame) -> End:
        """Execute statements."""
        outer = getattr(self, "frame", None)
        self.frame = frame
        try:
            return statements.run_block(self, block, frame)
        finally:
            if outer is not None:
                self.frame = outer

    def call_function(self, function: Function, call: Call, *, receiver: Value | None = None) -> Value:
        """Follow a function of the project."""
        return calls.call_function(self, function, call, receiver=receiver)

    def presumed(self, call: Call) -> Value:
        """The result of an unknown callable."""
        self.hand_over(call)
        self.assigned.hand_over(call.values)
        self.written += 1  # it may write to what it is given
        return calls.presumed(call)

    def hand_over(self, call: Call) -> None:
        """Pass functions to an unknown callable, which may call them."""
        execution = self.execution
        if not (execution.hypothesis or execution.expected or self.worker):
            self.handed_over += [(call, each) for each in call.values if _is_callable(each)]

    @property
    def world(self) -> dict[str, bool]:
        """The facts that are assumed about flags, options and the machine."""
        return self.flags.world

    def decided(self, flag: str, *, default: bool) -> bool:
        """The value of a flag in this run: the assumed one, else its default."""
        return self.flags.decided(flag, default=default)

    def text_of(self, given: GivenText, texts: Sequence[str]) -> str | None:
        """The one of some texts that an option is in this run; None if it is none of them."""
        return self.texts.text_of(given, texts)

    def has_part(self, given: GivenText, part: str) -> bool:
        """Whether an option contains a text in this run."""
        return self.texts.has_part(given, part)

    def ask(self, flag: str) -> None:
        """Record that a flag, off in this run, affects devices."""
        self.flags.ask(flag)

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Record that a flag guards some code; it matters if that code concerns devices."""
        self.flags.decides(flag, nodes)

    def is_optional(self, flag: str) -> bool:
        """Whether a flag that does not affect devices has another value than without options."""
        return flag.removeprefix("not ") in self.flags.inverted

    def exit(self) -> None:
        """End the program."""
        self._exited = True

    def exited(self) -> bool:
        """Whether the program has just ended."""
        was, self._exited = self._exited, False
        return was

    # Contexts

    @contextmanager
    def in_worker(self, worker: Worker) -> Iterator[None]:
        """Execute the body of a worker process, whose results say nothing about the parent."""
        before, self.worker = self.worker, worker
        try:
            with self.following.remembering.in_worker():
                yield
        finally:
            self.worker = before

    @contextmanager
    def in_process(self, process: Process) -> Iterator[None]:
        """A context for code that runs in another process, or that is tried separately."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before

    @contextmanager
    def on_one_path(self, *operands: Value) -> Iterator[None]:
        """A context for operations on one of several paths: their events are likely, not certain.

        Mismatches are only possible where an operand is known only in part, or no hypothesis is tried: what
        decides the path of a program may decide where its other operands are.
        """
        before = self.root_confidence, self.mixture_confidence
        self.root_confidence = least_sure(self.root_confidence, Confidence.LIKELY)
        if (operands and not self.execution.hypothesis) or any(map(is_known_in_part, operands)):
            self.mixture_confidence = Confidence.POSSIBLE
        try:
            yield
        finally:
            self.root_confidence, self.mixture_confidence = before

    @contextmanager
    def supposing(self, hypothesis: str, *, mismatches_only: bool = False) -> Iterator[None]:
        """A context for code that nothing in the project calls: its events depend on the hypothesis."""
        self.execution = ExecutionContext(hypothesis=hypothesis, mismatches_only=mismatches_only)
        self.following.remembering.suppose()
        try:
            yield
        finally:
            self.execution = ExecutionContext()

    # Objects and classes

    def adopt(self, made: Object) -> Reference:
        """Allocate an object in the heap, and return a reference to it."""
        if isinstance(made, Container):
            made.born, made.periodic = self.execution.loop, self.execution.periodic
        return Reference(made)

    def placed(self, held: Value, device: Device, site: SiteId) -> Value:
        """The result of a framework's function that puts its arguments on the framework's device."""
        return frameworks.placed(self, held, device, site)

    # Functions

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no further call is followed."""
        return self.following.is_exhausted()

    def may_follow(self, function: Function, passed: Sequence[Passed]) -> bool:
        """Whether a call is followed: the budget is not used up, and it is neither nested too deep nor too
        often recursive."""
        return self.following.may_follow(function, passed)

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """The result of a function's call in its context."""
        return self.following.followed(function, scope, site)

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[Container, bool]:
        """A list of what a generator yields, and whether it draws from a data loader."""
        return self.following.run_generator(held, frame, node)

    def run_around(self, held: GeneratorObject, site: SiteId, inside: Callable[[Value], None]) -> bool:
        """Execute a generator, and something at each `yield`, with the yielded value. Returns whether it was
        followed."""
        return self.following.run_around(held, site, inside)

    # Names, and the bindings of imports

    def builtin(self, name: str, frame: Frame) -> Value:
        """The meaning of a name that no scope binds."""
        return names.builtin(self, name, frame)

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        self.linking.run_import(node, frame)

    def import_cannot_fail(self, node: ir.Import, frame: Frame) -> bool:
        """Whether an import executes files of the project that nothing can make fail."""
        return sure_imports.cannot_fail(self.linking.files, node, frame.file)

    def resolved(self, held: Imported) -> Value:
        """The meaning of an imported name when it is used."""
        return self.linking.resolved(held)

    def import_for(self, registry: Object, key: str, is_found: Callable[[], bool]) -> None:
        """Execute the files of imports whose names were not used, until one has registered a key."""
        self.linking.import_for(registry, key, is_found)

    def import_all(self) -> None:
        """Execute the imports whose names were not used."""
        self.linking.import_all()

    def exported(self, file: File, name: str) -> Value:
        """The value of a name in another file of the project."""
        return self.linking.exported(file, name)


def _is_callable(held: Value) -> bool:
    is_function = isinstance(held, Reference) and isinstance(held.target, Function | BoundMethod | Partial)
    return is_function or commands.is_command(held)
