"""What the lower rooms ask of the machine as a whole, which is put together in `interprocedural`."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from devlint.model import Confidence, Device, Event, Setting, SettingKind, SiteId, Subject
from devlint.source import ir
from devlint.source.machine.domain.values import Imported, Input, Object, Value
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.process import Process, Worker
from devlint.source.machine.heap.store import Store
from devlint.source.machine.reporting.event_log import EventLog, ExecutionContext


class Machine(Protocol):
    """The abstract machine."""

    store: Store
    execution: ExecutionContext
    frame: Frame
    """The activation that is running."""
    log: EventLog
    default_device: Device
    tensor_type_device: Device
    """Where `torch.Tensor(…)` makes tensors: by the default type of tensors, not by the default device."""
    current_device: int | None
    waits: int
    work: int
    """How often a device, or what may be one, was given work."""
    sure_work: int
    """How often that was certainly a device."""
    guarded: int
    """In how many branches the machine is that are taken only where there is an accelerator."""
    optional: int
    """In how many branches it is that depend on what is not known, or on an option."""
    worker: Worker | None
    """The worker process in which the machine is, if it is in one."""
    process: Process
    root_confidence: Confidence
    accelerator: Device
    """Where frameworks put things."""
    assumed: dict[Hashable, bool]
    """What is known of tests on the path that is followed, see `transfer.paths`."""
    loads: list[tuple[SiteId, str, str]]
    """The calls that load tensors to where they were saved."""
    saved: list[Value]
    """What the program has saved."""

    @property
    def world(self) -> dict[str, bool]:
        """What is decided about flags, options and the machine."""
        ...

    def resolved(self, held: Imported) -> Value:
        """What an import binds, which is found when it is first used."""
        ...

    def decided(self, flag: str, *, default: bool) -> bool:
        """What a flag holds in this run: what is decided of it, else its default."""
        ...

    def on_one_path(self) -> AbstractContextManager[None]:
        """Do what is done on one of several paths only: what happens there is likely, and not certain."""
        ...

    def note(self, event: Event, inputs: tuple[Input, ...] = (), placed: tuple[Input, ...] = ()) -> None:
        """Write down what was seen."""
        ...

    def asks_for(self, kind: Subject) -> bool:
        """Whether some rule judges settings or registrations of a kind."""
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
        """Write down a setting."""
        ...

    def ask(self, flag: str) -> None:
        """Note that a flag, off in this run, decides about devices,
        so that a run with it on is worthwhile."""
        ...

    def call(self, callee: Value, call: Call) -> Value:
        """Call something."""
        ...

    def instantiate(self, callee: Value, call: Call) -> Value:
        """What `type.__call__` makes of a class of the project, whatever its metaclass does besides."""
        ...

    def attribute(self, owner: Value, name: str, frame: Frame, node: ir.Expression) -> Value:
        """`owner.name`."""
        ...

    def set_attribute(self, owner: Value, name: str, value: Value, frame: Frame, node: ir.Expression) -> None:
        """`owner.name = value`."""
        ...

    def method_of(self, owner: Value, name: str) -> Value | None:
        """A method that a class of the project defines for an object, bound to it."""
        ...

    def elements(self, iterable: Value, frame: Frame, node: ir.Expression | ir.Statement) -> Elements:
        """What iterating gives."""
        ...

    def truth(self, value: Value) -> bool | None:
        """Whether a value counts as true; None where that is not known."""
        ...

    def adopt(self, made: Object) -> Value:
        """Put a new object into the heap, and refer to it."""
        ...

    def evaluate(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value of an expression."""
        ...

    def read(self, held: Object) -> None:
        """Note that what is going on rests on an object's cells."""
        ...

    def presumed(self, call: Call) -> Value:
        """What a callable returns of which nothing is known; it may call the functions that it is given."""
        ...

    def hand_over(self, call: Call) -> None:
        """Give functions to a callable of which nothing is known: it may call them."""
        ...

    def placed(self, held: Value, device: Device, site: SiteId) -> Value:
        """What a framework gives that puts things on its device."""
        ...

    def in_worker(self, worker: Worker) -> AbstractContextManager[None]:
        """Run what a worker process runs."""
        ...

    def in_process(self, process: Process) -> AbstractContextManager[None]:
        """Run something in another process, or that is tried by itself."""
        ...

    def is_instance(self, held: Value, classes: Value) -> bool | None:
        """`isinstance(held, classes)`."""
        ...

    def exit(self) -> None:
        """End the program."""
        ...


class Elements(NamedTuple):
    """What iterating over something gives."""

    items: list[Value]
    exact: bool
    """Whether these are all, each once; else they stand for any number of elements."""
    drew: bool = False
    """Whether they are batches of a data loader."""
    some: bool = False
    """Whether there is one at least, where it is not known how many there are."""
