"""The abstract machine: the state of a run, and what each room asks of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager

from devlint.model import (
    CPU,
    Concrete,
    Confidence,
    Device,
    Event,
    Setting,
    SettingKind,
    SiteId,
    Subject,
)
from devlint.source import ir
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Imported, Input, Object, Reference, Value
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.machine import Elements
from devlint.source.machine.heap.objects import BoundMethod, Container, GeneratorObject, Partial
from devlint.source.machine.heap.process import Process, Worker
from devlint.source.machine.heap.store import Store
from devlint.source.machine.interprocedural import endings
from devlint.source.machine.interprocedural.flags import Flags
from devlint.source.machine.interprocedural.following import Following
from devlint.source.machine.interprocedural.left_over import LeftOver
from devlint.source.machine.interprocedural.linking import Files, Linking, NoFiles
from devlint.source.machine.interprocedural.watching import watching
from devlint.source.machine.library import commands, environment, frameworks, names
from devlint.source.machine.reporting.event_log import EventLog, ExecutionContext
from devlint.source.machine.transfer import attributes, calls, expressions, instances, iteration, statements
from devlint.source.machine.transfer.ends import End
from devlint.source.machine.transfer.interpreter import Evaluators, ValueWatcher
from devlint.source.machine.transfer.truth import truth
from devlint.source.walk import Node

_OF_A_RUN = (
    "_exited", "accelerator", "execution", "assumed", "chosen", "current_device", "default_device", "flags",
    "forks", "guarded", "handed_over", "has_outcomes", "loads", "log", "optional", "process",
    "root_confidence", "saved", "steps", "sure_work", "tensor_type_device", "waits", "work", "worker",
)  # fmt: skip
"""What belongs to one run of a program."""
_OF_A_PROGRAM = ("following", *_OF_A_RUN)
"""What belongs to one program, and not to the files that programs share."""


class AbstractMachine:
    """Runs programs on abstract values."""

    def __init__(self, files: Files | None = None, wanted: frozenset[Subject] = frozenset()) -> None:
        self.wanted = wanted
        self.store = Store()
        self.log = EventLog()
        files = NoFiles() if files is None else files
        self.linking = Linking(self, files)
        self.left_over = LeftOver(files)
        self.following = Following(self)
        self.flags = Flags()
        self.evaluators: Evaluators = expressions.EVALUATORS
        self.watch: ValueWatcher | None = None
        self.begin()

    @contextmanager
    def watched(self, watch: ValueWatcher) -> Iterator[None]:
        """Tell somebody what expressions and names come to meanwhile."""
        self.watch = watch
        self.evaluators = watching(watch)
        try:
            yield
        finally:
            self.watch, self.evaluators = None, expressions.EVALUATORS

    def start(self, file: File) -> None:
        """Start a program: nothing of it was followed so far."""
        self.following = Following(self, file)

    def begin(self) -> None:
        """Begin a run: nothing is set, nothing was done."""
        self.execution = ExecutionContext()
        self.default_device: Device = CPU
        self.tensor_type_device: Device = CPU
        self.current_device: int | None = None
        self.accelerator: Device = Concrete("cuda")
        self.waits = 0
        self.work = 0
        self.sure_work = 0
        self.store.arrived = frozenset()
        self.guarded = 0
        self.optional = 0
        self.worker: Worker | None = None
        self.process = Process()
        self.steps = 0
        self.has_outcomes = False
        self.assumed: dict[Hashable, bool] = {}
        self.chosen: dict[Hashable, bool] = {}
        self.forks = 0
        self.root_confidence = Confidence.CERTAIN
        self.loads: list[tuple[SiteId, str, str]] = []
        self.saved: list[Value] = []
        self.handed_over: list[tuple[Call, Value]] = []
        """Functions that the program itself gives to callables that are not read."""
        self.frame: Frame
        self._exited = False
        self.following.begin()

    def run_body(self, file: File) -> None:
        """Run the statements of a file."""
        self.run_block(file.body, Frame(file, file.scope))

    def run_for_others(self, file: File) -> None:
        """Run the body of a file that others import, apart from what is going on here."""
        with self._apart(file):
            self.run_body(file)
            environment.note_blocking(self)
            file.process = endings.left_by(self.process)

    @contextmanager
    def _apart(self, file: File) -> Iterator[None]:
        """Run something whose changes stay, whatever path is tried, and whose events are the file's own.

        Other programs will find what it leaves, so that it must not depend on the one at hand.
        """
        saved = {name: getattr(self, name) for name in _OF_A_PROGRAM}
        frame = getattr(self, "frame", None)
        self.flags = Flags()
        self.start(file)
        self.begin()
        self.log = file.log
        try:
            with self.store.apart():
                yield
        finally:
            for name, held in saved.items():
                setattr(self, name, held)
            if frame is not None:
                self.frame = frame

    @contextmanager
    def meanwhile(self, file: File) -> Iterator[None]:
        """Make other runs of a program while one waits, which then goes on as it was.

        Which functions were followed is known of all of them.
        """
        saved = {name: getattr(self, name) for name in (*_OF_A_RUN, "frame")}
        of_file = file.scope, file.functions, file.classes, file.stars
        memory = self.following.remembering.memory
        left = self.store.suspend()
        try:
            yield
        finally:
            for name, held in saved.items():
                setattr(self, name, held)
            file.scope, file.functions, file.classes, file.stars = of_file
            self.following.remembering.memory = memory
            self.store.resume(left)

    # Events

    def note(self, event: Event, inputs: tuple[Input, ...] = (), placed: tuple[Input, ...] = ()) -> None:
        """Write down what was seen."""
        occurrence = self.log.add(event, self.execution, inputs, placed)
        if occurrence is not None:
            self.following.remembering.note(occurrence)

    def asks_for(self, kind: Subject) -> bool:
        """Whether some rule judges settings or registrations of a kind."""
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
        """Write down a setting."""
        if kind not in self.wanted:
            return None
        event = Setting(site, None, confidence, kind, value, detail, related)
        self.note(event)
        return event

    def read(self, held: Object) -> None:
        """Note that what is going on rests on an object's cells."""
        self.following.remembering.read(held)

    # Expressions and statements

    def evaluate(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value of an expression."""
        self.steps += 1  # as in `expressions.evaluate`: most of what is called passes here
        return self.evaluators[type(expression)](self, expression, frame)

    def run_block(self, block: ir.Block, frame: Frame) -> End:
        """Run statements."""
        outer = getattr(self, "frame", None)
        self.frame = frame
        try:
            return statements.run_block(self, block, frame)
        finally:
            if outer is not None:
                self.frame = outer

    def attribute(self, owner: Value, name: str, frame: Frame, node: ir.Expression) -> Value:
        """`owner.name`."""
        return attributes.attribute(self, owner, name, frame, node)

    def set_attribute(self, owner: Value, name: str, value: Value, frame: Frame, node: ir.Expression) -> None:
        """`owner.name = value`."""
        attributes.set_attribute(self, owner, name, value, frame, node)

    def call(self, callee: Value, call: Call) -> Value:
        """Call something."""
        return calls.call_value(self, callee, call)

    def instantiate(self, callee: Value, call: Call) -> Value:
        """What `type.__call__` makes of a class of the project."""
        return calls.instantiate(self, callee, call)

    def call_function(self, function: Function, call: Call, *, receiver: Value | None = None) -> Value:
        """Follow a function of the project."""
        return calls.call_function(self, function, call, receiver=receiver)

    def presumed(self, call: Call) -> Value:
        """What a callable returns of which nothing is known."""
        self.hand_over(call)
        return calls.presumed(call)

    def hand_over(self, call: Call) -> None:
        """Give functions to a callable of which nothing is known: it may call them."""
        execution = self.execution
        if not (execution.hypothesis or execution.expected or self.worker):
            self.handed_over += [(call, each) for each in call.values if _is_callable(each)]

    def elements(self, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement) -> Elements:
        """What iterating gives."""
        return iteration.elements(self, iterable, frame, node)

    def is_instance(self, held: Value, classes: Value) -> bool | None:
        """`isinstance(held, classes)`."""
        return instances.is_instance(held, classes)

    def truth(self, held: Value) -> bool | None:
        """Whether a value counts as true; None where that is not known."""
        return truth(self, held)

    @property
    def world(self) -> dict[str, bool]:
        """What is decided about flags, options and the machine."""
        return self.flags.world

    def decided(self, flag: str, *, default: bool) -> bool:
        """What a flag holds in this run: what is decided of it, else its default."""
        return self.flags.decided(flag, default=default)

    def ask(self, flag: str) -> None:
        """Note that a flag, off in this run, decides about devices."""
        self.flags.ask(flag)

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Note that a flag decides whether something is done; of interest if that is about devices."""
        self.flags.decides(flag, nodes)

    def exit(self) -> None:
        """End the program."""
        self._exited = True

    def exited(self) -> bool:
        """Whether the program was just ended."""
        was, self._exited = self._exited, False
        return was

    # Surroundings

    @contextmanager
    def in_worker(self, worker: Worker) -> Iterator[None]:
        """Run what a worker process runs; what that comes to in the parent says nothing of it."""
        before, self.worker = self.worker, worker
        try:
            with self.following.remembering.in_worker():
                yield
        finally:
            self.worker = before

    @contextmanager
    def in_process(self, process: Process) -> Iterator[None]:
        """Run something in another process, or that is tried by itself."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before

    @contextmanager
    def on_one_path(self) -> Iterator[None]:
        """Do what is done on one of several paths only: what happens there is likely, and not certain."""
        before, self.root_confidence = (
            self.root_confidence,
            least_sure(self.root_confidence, Confidence.LIKELY),
        )
        try:
            yield
        finally:
            self.root_confidence = before

    @contextmanager
    def supposing(self, hypothesis: str, *, mismatches_only: bool = False) -> Iterator[None]:
        """Try what nothing at hand calls: what happens meanwhile rests on that."""
        self.execution = ExecutionContext(hypothesis=hypothesis, mismatches_only=mismatches_only)
        self.following.remembering.suppose()
        try:
            yield
        finally:
            self.execution = ExecutionContext()

    # Objects and classes

    def adopt(self, made: Object) -> Reference:
        """Put a new object into the heap, and refer to it."""
        if isinstance(made, Container):
            made.born = self.execution.loop
        return Reference(made)

    def method_of(self, owner: Value, name: str) -> Value | None:
        """A method that a class of the project defines for an object, bound to it."""
        return attributes.method_of(self, owner, name)

    def placed(self, held: Value, device: Device, site: SiteId) -> Value:
        """What a framework gives that puts things on its device."""
        return frameworks.placed(self, held, device, site)

    # Functions

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no call is followed any more."""
        return self.following.is_exhausted()

    def may_follow(self, function: Function) -> bool:
        """Whether a call is followed: within the budget, not too deep, not too often within itself."""
        return self.following.may_follow(function)

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a call of a function comes to in its context."""
        return self.following.followed(function, scope, site)

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[list[Value], bool]:
        """What a generator yields, and whether it draws from a data loader."""
        return self.following.run_generator(held, frame, node)

    # Names, and what imports bind

    def builtin(self, name: str, frame: Frame) -> Value:
        """What a name means that no scope binds."""
        return names.builtin(self, name, frame)

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        self.linking.run_import(node, frame)

    def resolved(self, held: Imported) -> Value:
        """What an imported name stands for, now that it is used."""
        return self.linking.resolved(held)

    def exported(self, file: File, name: str) -> Value:
        """What another file of the project holds under a name."""
        return self.linking.exported(file, name)


def _is_callable(held: Value) -> bool:
    is_function = isinstance(held, Reference) and isinstance(held.target, Function | BoundMethod | Partial)
    return is_function or commands.is_command(held)
