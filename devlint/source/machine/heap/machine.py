"""The protocol by which the lower packages call the machine, which `interprocedural` implements."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from devlint.model import Confidence, Device, Event, Setting, SettingKind, SiteId, Subject
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.option_values import GivenText
from devlint.source.machine.domain.values import Imported, Object, Value
from devlint.source.machine.heap.assigned_attributes import AssignedAttributes
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.heap.process import Process, Worker
from devlint.source.machine.heap.store import Store
from devlint.source.machine.reporting.event_log import EventLog, ExecutionContext


class Machine(Protocol):
    """The abstract machine."""

    store: Store
    execution: ExecutionContext
    frame: Frame
    """The running activation."""
    log: EventLog
    program: File | None
    """The file at which the program starts."""
    entered: set[SiteId]
    """The calls of modules of the project in the runs of a program."""
    repaired: dict[SiteId, Device]
    """The factory calls that name no device and are executed as if they named the one that they need."""
    current_device: int | None
    waits: int
    work: int
    """The number of operations on a device, or on what may be one."""
    sure_work: int
    """The number of those operations that were certainly on a device."""
    written: int
    """How often a tensor that may be on the host was changed in place."""
    trained: int
    """The number of backward passes and of optimizers' steps outside of loops."""
    guarded: int
    """The number of branches around the current statement that are taken only if there is an accelerator."""
    optional: int
    """The number of branches around the current statement that depend on an unknown value or on an option."""
    worker: Worker | None
    """The current worker process, if any."""
    process: Process
    root_confidence: Confidence
    mixture_confidence: Confidence
    """The highest confidence of a mismatch: `possible` while an operand is known only in part."""
    accelerator: Device
    """The device on which frameworks put tensors and modules."""
    assigned: AssignedAttributes
    """What the run assigns to attributes of unknown arguments."""
    assumed: dict[Hashable, bool]
    """The facts about tests that hold on the current path, see `transfer.paths`."""
    loads: list[tuple[SiteId, str, str]]
    """The calls that load tensors to the device on which they were saved."""
    saved: list[Value]
    """The values that the program has saved."""
    optimized: set[int]
    """The serial numbers of the tensors that optimizers are given, and of detached parameters."""
    listed: dict[int, Instance]
    """The module whose parameters or buffers a tensor stands for, by the serial number of the tensor."""

    @property
    def world(self) -> dict[str, bool]:
        """The facts that are assumed about flags, options and the machine."""
        ...

    def resolved(self, held: Imported) -> Value:
        """The meaning of an import's binding, resolved on first use."""
        ...

    def import_for(self, registry: Object, key: str, is_found: Callable[[], bool]) -> None:
        """Execute the files of imports whose names were not used, until one has registered a key."""
        ...

    def import_all(self) -> None:
        """Execute the imports whose names were not used."""
        ...

    def decided(self, flag: str, *, default: bool) -> bool:
        """The value of a flag in this run: the assumed one, else its default."""
        ...

    def text_of(self, given: GivenText, texts: Sequence[str]) -> str | None:
        """The one of some texts that an option is in this run; None if it is none of them."""
        ...

    def has_part(self, given: GivenText, part: str) -> bool:
        """Whether an option contains a text in this run."""
        ...

    def on_one_path(self, *operands: Value) -> AbstractContextManager[None]:
        """A context for operations on one of several paths: their events are likely, not certain. Mismatches
        are only possible if one of the operands is known only in part."""
        ...

    def note(self, event: Event, inputs: tuple[Input, ...] = (), placed: tuple[Input, ...] = ()) -> None:
        """Record an event."""
        ...

    def asks_for(self, kind: Subject) -> bool:
        """Whether an enabled rule judges settings or registrations of a kind."""
        ...

    def setting(
        self,
        kind: SettingKind,
        site: SiteId,
        value: str,
        detail: str = "",
        related: SiteId | None = None,
        confidence: Confidence = ...,
    ) -> Setting | None:
        """Record a setting."""
        ...

    def ask(self, flag: str) -> None:
        """Record that a flag, off in this run, affects devices, so that a run with it on is worthwhile."""
        ...

    def call(self, callee: Value, call: Call) -> Value:
        """Call a value."""
        ...

    def instantiate(self, callee: Value, call: Call) -> Value:
        """Create an object of a class of the project as `type.__call__` does, whatever its metaclass adds."""
        ...

    def attribute(self, owner: Value, name: str, frame: Frame, node: ir.Expression) -> Value:
        """`owner.name`."""
        ...

    def set_attribute(self, owner: Value, name: str, value: Value, frame: Frame, node: ir.Expression) -> None:
        """`owner.name = value`."""
        ...

    def method_of(self, owner: Value, name: str) -> Value | None:
        """A method that a class of the project defines, bound to an object."""
        ...

    def elements(self, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement) -> Elements:
        """The elements that iteration yields."""
        ...

    def element(self, owner: Passed, index: Passed, frame: Frame, node: ir.Expression) -> Value:
        """`owner[index]`."""
        ...

    def operation(
        self, operator: str, operands: tuple[Passed, Passed], frame: Frame, node: ir.Expression
    ) -> Value:
        """`left operator right`; the operator is the method that Python calls, without underscores."""
        ...

    def truth(self, value: Value) -> bool | None:
        """The truth value; None if it is not known."""
        ...

    def adopt(self, made: Object) -> Value:
        """Allocate an object in the heap, and return a reference to it."""
        ...

    def evaluate(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value of an expression."""
        ...

    def read(self, held: Object) -> None:
        """Record that the current call depends on an object's cells."""
        ...

    def presumed(self, call: Call) -> Value:
        """The result of an unknown callable; it may call the functions that it is given."""
        ...

    def hand_over(self, call: Call) -> None:
        """Pass functions to an unknown callable, which may call them."""
        ...

    def placed(self, held: Value, device: Device, site: SiteId) -> Value:
        """The result of a framework's function that puts its arguments on the framework's device."""
        ...

    def in_worker(self, worker: Worker) -> AbstractContextManager[None]:
        """Execute the body of a worker process."""
        ...

    def in_process(self, process: Process) -> AbstractContextManager[None]:
        """A context for code that runs in another process, or that is tried separately."""
        ...

    def is_instance(self, held: Value, classes: Value) -> bool | None:
        """`isinstance(held, classes)`."""
        ...

    def exit(self) -> None:
        """End the program."""
        ...


class Elements(NamedTuple):
    """The result of iterating over a value."""

    items: list[Value]
    exact: bool
    """Whether these are exactly the elements, each once; else they stand for any number of elements."""
    drew: bool = False
    """Whether they are the batches of a data loader."""
    some: bool = False
    """Whether there is at least one, if the number is not known."""
