"""The abstract machine: the state of a run, and what each room asks of it."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

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
    parse_device,
)
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    External,
    Imported,
    Input,
    Reference,
    Value,
)
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Elements, Frame, Passed
from devlint.source.machine.heap.objects import (
    Container,
    Function,
    GeneratorObject,
    ModuleFile,
    Object,
    Scope,
)
from devlint.source.machine.heap.process import Process, Worker
from devlint.source.machine.heap.store import Store
from devlint.source.machine.interprocedural import endings
from devlint.source.machine.interprocedural.contexts import Contexts, Outcome, context, is_rememberable
from devlint.source.machine.library import (
    environment,
    frameworks,
    names,
)
from devlint.source.machine.reporting.event_log import EventLog, Surroundings
from devlint.source.machine.reporting.loops import Loop
from devlint.source.machine.transfer import attributes, branches, calls, expressions, iteration, statements
from devlint.source.machine.transfer.statements import End
from devlint.source.machine.transfer.truth import truth
from devlint.source.walk import Node, walk

_MODULES_PATH = re.compile(r"torch\.(nn\.modules|optim)\.(?!lr_scheduler|swa_utils)[a-z_0-9]+\.([A-Z]\w*)$")
_BUILTINS = frozenset(dir(builtins))
_NUMBERS = frozenset({"math.pi", "math.e", "math.inf", "math.nan", "numpy.pi", "numpy.inf", "numpy.nan",
                      "torch.pi", "torch.inf", "torch.nan"})  # fmt: skip
_DEEPEST_IMPORT = 40
STEPS_PER_NODE = 24
STEPS_PER_NODE_OF_OTHERS = 6
LEAST_STEPS = 6_000
"""The budget of a run: so many steps, and more for each statement and expression of the file, and of each
other file to which its calls lead."""


class Files(Protocol):
    """Where the other files of a project come from."""

    def find(self, name: str, importer: File) -> tuple[File, str] | None:
        """The file of the longest part of a module's name that leads to one,
        and the rest of the name."""
        ...

    def absolute(self, name: str, importer: File) -> str:
        """A name that begins with dots, counted from the file that uses it."""
        ...


class NoFiles:
    """The files beside one that stands alone."""

    def find(self, name: str, importer: File) -> tuple[File, str] | None:  # noqa: ARG002
        """There are none."""
        return None

    def absolute(self, name: str, importer: File) -> str:  # noqa: ARG002
        """The name as it is."""
        return name


class AbstractMachine:
    """Runs programs on abstract values."""

    def __init__(self, files: Files | None = None, wanted: frozenset[Subject] = frozenset()) -> None:
        self.files: Files = NoFiles() if files is None else files
        self.wanted = wanted
        self.store = Store()
        self.log = EventLog()
        self.contexts = Contexts()
        self._contexts_of_workers = Contexts()
        self.world: dict[str, bool] = {}
        self.asked: dict[str, bool] = {}
        """The flags that were asked, and how that was decided."""
        self.deciding: set[str] = set()
        """Those of them that decide about devices."""
        self.followed_files: set[File] = set()
        """The files to which the calls of the run led."""
        self.reached: set[tuple[str, SiteId]] = set()
        """The functions that were followed."""
        self.called: set[tuple[str, str]] = set()
        """Those that the program itself calls, and no hypothesis: file and qualified name."""
        self.budget = LEAST_STEPS
        self._reads: list[set[Object]] = []
        self._importing = 0
        self._resolving: set[Value] = set()
        self.begin()

    def begin(self) -> None:
        """Begin a run: nothing is set, nothing was done."""
        self.around = Surroundings()
        self.default_device: Device = CPU
        self.current_device: int | None = None
        self.accelerator: Device = Concrete("cuda")
        self.waits = 0
        self.work = 0
        self.sure_work = 0
        self.read_tensors: set[int] = set()
        self.guarded = 0
        self.worker: Worker | None = None
        self.process = Process()
        self.depth = 0
        self.steps = 0
        self.running: dict[tuple[str, SiteId], int] = {}
        self.root_confidence = Confidence.CERTAIN
        self.loads: list[tuple[SiteId, str, str]] = []
        self.saved: list[Value] = []
        self.frame: Frame
        self._exited = False
        self.contexts.clear()
        self._contexts_of_workers.clear()

    # Events

    def note(self, event: Event, inputs: tuple[Input, ...] = ()) -> None:
        """Write down what was seen."""
        self.log.add(event, self.around, inputs)

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
        if self._reads:
            self._reads[-1].add(held)

    # Expressions and statements

    def evaluate(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value of an expression."""
        return expressions.evaluate(self, expression, frame)

    def assign(self, target: ir.Expression, held: Value, frame: Frame) -> None:
        """`target = held`."""
        statements.assign(self, target, held, frame)

    def drawn(self, item: Value) -> Value:
        """What a turn of the innermost loop draws."""
        return statements.drawn(self, item)

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

    def call(
        self, callee: Value, passed: Sequence[Passed], frame: Frame, node: ir.Expression | ir.Statement
    ) -> Value:
        """Call something."""
        return calls.call(self, callee, passed, frame, node)

    def call_function(
        self,
        function: Function,
        passed: Sequence[Passed],
        frame: Frame,
        node: ir.Expression,
        *,
        receiver: Value | None = None,
    ) -> Value:
        """Follow a function of the project."""
        return calls.call_function(self, function, passed, frame, node, receiver=receiver)

    def presumed(self, passed: Sequence[Passed], expression: ir.Expression) -> Value:
        """What a callable returns of which nothing is known."""
        return calls.presumed(passed, expression)

    def elements(self, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement) -> Elements:
        """What iterating gives."""
        return iteration.elements(self, iterable, frame, node)

    def is_instance(self, held: Value, classes: Value) -> bool | None:
        """`isinstance(held, classes)`."""
        return branches.is_instance(held, classes)

    def truth(self, held: Value) -> bool | None:
        """Whether a value counts as true; None where that is not known."""
        return truth(self, held)

    def decided(self, flag: str, *, default: bool) -> bool:
        """What a flag holds in this run: what is decided of it, else its default."""
        if flag.startswith("not "):
            return not self.decided(flag[4:], default=not default)
        decided = self.world.get(flag, default)
        self.asked[flag] = decided
        return decided

    def ask(self, flag: str) -> None:
        """Note that a flag, off in this run, decides about devices."""
        self.asked.setdefault(flag, self.world.get(flag, False))
        self.deciding.add(flag)

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Note that a flag decides whether something is done; of interest if that is about devices."""
        flag = flag.removeprefix("not ")
        if flag not in self.deciding and any(map(_is_about_devices, walk(nodes))):
            self.deciding.add(flag)

    def exit(self) -> None:
        """End the program."""
        self._exited = True

    def exited(self) -> bool:
        """Whether the program was just ended."""
        was, self._exited = self._exited, False
        return was

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no call is followed any more."""
        return self.steps > self.budget

    @contextmanager
    def in_worker(self, worker: Worker) -> Iterator[None]:
        """Run what a worker process runs; what that comes to in the parent says nothing of it."""
        before = self.worker, self.contexts
        self.worker, self.contexts = worker, self._contexts_of_workers
        try:
            yield
        finally:
            self.worker, self.contexts = before

    @contextmanager
    def in_process(self, process: Process) -> Iterator[None]:
        """Run something in another process, or that is tried by itself."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before

    # Objects and classes

    def adopt(self, made: Object) -> Reference:
        """Put a new object into the heap, and refer to it."""
        made.fresh = self.store.depth
        if isinstance(made, Container):
            made.born = self.around.loop
        return Reference(made)

    def method_of(self, owner: Value, name: str) -> Value | None:
        """A method that a class of the project defines for an object, bound to it."""
        return attributes.method_of(self, owner, name)

    def placed(self, held: Value, device: Device, site: SiteId) -> Value:
        """What a framework gives that puts things on its device."""
        return frameworks.placed(self, held, device, site)

    # Functions

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a call of a function comes to in its context."""
        self._reach(function)
        if function.file not in self.followed_files:
            self.followed_files.add(function.file)
            self.budget += STEPS_PER_NODE_OF_OTHERS * function.file.size
        around = self.around
        if "cached" in function.marks:
            return self._followed_once(function, scope, site)
        key = context(function, scope, around.loop, periodic=around.periodic, rare=around.rare)
        known = self.contexts.find(key)
        if known is not None:
            self._replay(known)
            return known.result
        self._reads.append(set())
        writes, loop = self.store.writes, around.loop
        flags = _flags(loop)
        waits, work, sure_work = self.waits, self.work, self.sure_work
        result = self._activated(function, scope, site)
        reads = self._reads.pop()
        if self._reads:
            self._reads[-1] |= reads
        if key is not None and self.store.writes == writes and is_rememberable(result):
            trained, drew, called_module, worked, hot_inside = (
                now and not before for now, before in zip(_flags(loop), flags, strict=True)
            )
            outcome = Outcome(
                result,
                tuple((held, held.stamp) for held in reads),
                trained,
                drew,
                called_module,
                worked,
                hot_inside,
                waits=self.waits - waits,
                work=self.work - work,
                sure_work=self.sure_work - sure_work,
            )
            self.contexts.keep(key, outcome)
        return result

    def _followed_once(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a function comes to that remembers its results: it runs once, whatever loop calls it."""
        loop, self.around.loop = self.around.loop, None
        key = ("cached", *(context(function, scope, None, periodic=False, rare=False) or ()))
        known = self.contexts.find(key)
        try:
            if known is not None:
                return known.result
            result = self._activated(function, scope, site)
        finally:
            self.around.loop = loop
        self.contexts.keep(key, Outcome(result, (), *_flags(None), waits=0, work=0, sure_work=0))
        return result

    def _replay(self, known: Outcome) -> None:
        loop = self.around.loop
        if loop is not None:
            loop.trained |= known.trained
            loop.drew |= known.drew
            loop.called_module |= known.called_module
            loop.worked |= known.worked
            loop.hot_inside |= known.hot_inside
        self.waits += known.waits
        self.work += known.work
        self.sure_work += known.sure_work
        if self._reads:
            self._reads[-1].update(held for held, _ in known.reads)

    def _activated(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """Run a function's body."""
        frame = Frame(function.file, scope, function)
        chain = self.around.chain
        self._enter(function, site)
        try:
            body = function.node.body
            if isinstance(function.node, ir.Lambda):
                assert not isinstance(body, tuple)
                outer, self.frame = self.frame, frame
                try:
                    return self.evaluate(body, frame)
                finally:
                    self.frame = outer
            assert isinstance(body, tuple)
            end = self.run_block(body, frame)
        finally:
            self._leave(function, chain)
        if end in (End.NEXT, End.BREAK, End.CONTINUE):
            frame.returns.append(NONE)
        return join_all(frame.returns)

    def _reach(self, function: Function) -> None:
        self.reached.add(function.identity)
        if not self.around.hypothesis:
            self.called.add((function.file.path, function.qualname))

    @contextmanager
    def supposing(self, hypothesis: str) -> Iterator[None]:
        """Try what nothing at hand calls: what happens meanwhile rests on that."""
        self.around = Surroundings(hypothesis=hypothesis)
        self.contexts.suppose()
        try:
            yield
        finally:
            self.around = Surroundings()

    def _enter(self, function: Function, site: SiteId) -> None:
        self.around.chain = (*self.around.chain, site)
        self.running[function.identity] = self.running.get(function.identity, 0) + 1
        self.depth += 1
        self.store.depth += 1

    def _leave(self, function: Function, chain: tuple[SiteId, ...]) -> None:
        self.store.depth -= 1
        self.depth -= 1
        self.running[function.identity] -= 1
        self.around.chain = chain

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[list[Value], bool]:
        """What a generator yields, and whether it draws from a data loader."""
        function = held.function
        if self.is_exhausted() or self.running.get(function.identity, 0) or self.depth > 20:
            return [], False
        self._reach(function)
        scope = Scope(held.arguments.outer, function.file)
        scope.cells = dict(held.arguments.cells)
        inner = Frame(function.file, scope, function)
        chain, outer_loop = self.around.chain, self.around.loop
        marker = self.around.loop = Loop(outer_loop, frame.site(node), turns=1)
        self._enter(function, frame.site(node))
        try:
            body = function.node.body
            assert isinstance(body, tuple)
            self.run_block(body, inner)
        finally:
            self._leave(function, chain)
            self.around.loop = outer_loop
        return inner.yields, marker.hot_inside and not marker.trained

    # Names, and what imports bind

    def builtin(self, name: str, frame: Frame) -> Value:
        """What a name means that no scope binds."""
        return names.builtin(self, name, frame)

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        module = node.module
        if module.startswith("."):
            module = self.files.absolute(module, frame.file)
        scope = frame.scope
        if not node.name:
            bound = node.alias or module.split(".")[0]
            whole = module if node.alias else bound
            self.store.write(scope.home(bound), bound, Imported(whole, "", frame.file))
            return
        if node.name == "*":
            self._import_all(module, frame)
            return
        bound = node.alias or node.name
        self.store.write(scope.home(bound), bound, Imported(module, node.name, frame.file))

    def resolved(self, held: Imported) -> Value:
        """What an imported name stands for, now that it is used."""
        if not held.name:
            return self._module(held.module, held.importer)
        if held in self._resolving:
            return TOP
        self._resolving.add(held)
        try:
            return self._imported(held.module, held.name, held.importer)
        finally:
            self._resolving.discard(held)

    def _module(self, module: str, importer: File) -> Value:
        found = self.files.find(module, importer)
        if found is None or found[1]:
            return External(module)
        return self.adopt(ModuleFile(found[0]))

    def _imported(self, module: str, name: str, importer: File) -> Value:
        """What `from module import name` binds: what the package holds under the name,
        or else its submodule."""
        package = self.files.find(module, importer) if module and not module.endswith(".") else None
        if package is not None and not package[1]:
            self._run_other(package[0])
            held = package[0].scope.cells.get(name)
            if held is not None and held not in self._resolving:
                self.read(package[0].scope)
                return self.resolved(held) if isinstance(held, Imported) else held
        found = self.files.find(f"{module}.{name}" if not module.endswith(".") else module + name, importer)
        if found is None:
            return names.external_attribute(module, name)
        file, rest = found
        if not rest:
            return self.adopt(ModuleFile(file))
        if rest != name:
            return TOP
        return self.exported(file, name)

    def _import_all(self, module: str, frame: Frame) -> None:
        found = self.files.find(module, frame.file)
        if found is None or found[1]:
            frame.file.stars.append(module)
            return
        self._run_other(found[0])
        frame.file.stars += found[0].stars
        for name, held in list(found[0].scope.cells.items()):
            if isinstance(name, str) and not name.startswith("_"):
                self.store.write(frame.scope, name, held)

    def exported(self, file: File, name: str) -> Value:
        """What another file of the project holds under a name."""
        self._run_other(file)
        self.read(file.scope)
        held = file.scope.cells.get(name)
        if held is not None:
            return self.resolved(held) if isinstance(held, Imported) else held
        found = self.files.find(f"{file.module}.{name}", file) if file.module else None
        if found is not None and not found[1] and found[0] is not file:
            return self._module(f"{file.module}.{name}", file)
        if file.stars:
            return External(f"{file.stars[-1]}.{name}")
        return TOP

    def _run_other(self, file: File) -> None:
        """Run the body of another file, once, apart from what is going on here."""
        if file.started or self._importing > _DEEPEST_IMPORT:
            if file.process:
                endings.imported(self, file.process)
            return
        file.started = True
        with self.apart(file):
            self.run_body(file)
            environment.note_blocking(self)
            file.process = endings.left_by(self.process)
        endings.imported(self, file.process)

    @contextmanager
    def apart(self, file: File) -> Iterator[None]:
        """Run something whose changes stay, whatever path is tried, and whose events are the file's own.

        Other programs will find what it leaves, so that it must not depend on the one at hand.
        """
        saved = {name: getattr(self, name) for name in _OF_A_PROGRAM}
        frame, journals, depth = getattr(self, "frame", None), self.store.journals, self.store.depth
        self.store.journals, self.store.depth, self._reads = [], 0, []
        self.contexts, self._contexts_of_workers = Contexts(), Contexts()
        self.followed_files, self.reached, self.called = {file}, set(), set()
        self.world, self.asked, self.deciding = {}, {}, set()
        self.begin()
        self.log = file.log
        self.budget = budget_of(file)
        self._importing += 1
        try:
            yield
        finally:
            self._importing -= 1
            self.store.journals, self.store.depth = journals, depth
            for name, held in saved.items():
                setattr(self, name, held)
            if frame is not None:
                self.frame = frame

    def run_body(self, file: File) -> None:
        """Run the statements of a file."""
        self.run_block(file.body, Frame(file, file.scope))


_OF_A_PROGRAM = (
    "_contexts_of_workers", "_exited", "_reads", "accelerator", "around", "asked", "budget", "called",
    "contexts", "current_device", "deciding", "default_device", "depth", "followed_files", "guarded", "loads",
    "log", "process", "reached", "read_tensors", "root_confidence", "running", "saved", "steps", "sure_work",
    "waits", "work", "worker", "world",
)  # fmt: skip
"""What belongs to the run of one program, and not to the files that programs share."""


def budget_of(file: File) -> int:
    """How many steps a run of a file may take."""
    return LEAST_STEPS + STEPS_PER_NODE * file.size


_DEVICE_WORDS = frozenset(
    {"cuda", "to", "cpu", "device", "is_available", "DataParallel", "DistributedDataParallel", "set_device",
     "device_count", "set_default_device", "set_default_tensor_type"}
)  # fmt: skip
"""Attributes of torch by which programs choose devices."""


def _is_about_devices(node: Node) -> bool:
    """Whether a node chooses a device, or moves something to one."""
    match node:
        case ir.Attribute(name=name):
            return name in _DEVICE_WORDS
        case ir.Argument(keyword=name):
            return name == "device"
        case ir.Constant(value=str(held)):
            return parse_device(held) is not None
        case _:
            return False


def _flags(loop: Loop | None) -> tuple[bool, bool, bool, bool, bool]:
    if loop is None:
        return (False, False, False, False, False)
    return (loop.trained, loop.drew, loop.called_module, loop.worked, loop.hot_inside)
