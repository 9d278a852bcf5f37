"""The process that a program runs in, as far as devices are concerned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from devlint.model import Confidence, Event, Registration, Setting, SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import NONE, Known, Object
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Instance

STARTED = "accelerator"
"""The site at which the accelerator's runtime has started."""
VISIBLE = "CUDA_VISIBLE_DEVICES"
"""How many devices the program has said that it sees."""
BLOCKING = "CUDA_LAUNCH_BLOCKING"
"""What the program has set that to."""
BLOCKING_SITE = "site of CUDA_LAUNCH_BLOCKING"
AFRESH = "start method"
"""True where processes start afresh, and are not forked."""
_CELLS = (STARTED, VISIBLE, BLOCKING, BLOCKING_SITE, AFRESH)


@dataclass(slots=True)
class Worker:
    """A process that the program starts, or that a data loader starts for it."""

    what: str
    """What runs there, as findings say it."""
    confidence: Confidence
    failed: bool = False
    """Whether it has asked for an accelerator, and so ended."""


class Waiting(NamedTuple):
    """A data loader that nothing has drawn from so far."""

    loader: Instance
    frame: Frame
    node: ir.Expression


@dataclass(slots=True)
class Facts:
    """What was seen in a run, whatever path led there."""

    questions: int = 0
    """How often the program has asked whether there is an accelerator."""
    asked: SiteId | None = None
    """The first test after which it goes on where there is none."""
    fallback: SiteId | None = None
    """The first by which it chooses whether to use one."""
    needs_accelerator: bool = False
    """Whether it ends with an error where there is none."""
    hard_coded: list[Setting] = field(default_factory=list)
    """Accelerators that it names outside of branches that ask for one."""
    asks_for_mps: bool = False
    chooses_device: bool = False
    """Whether it sets the current device, or shows each process its own."""
    makes_loaders: bool = False
    waiting: list[Waiting] = field(default_factory=list)
    groups: list[Event] = field(default_factory=list)
    """NCCL groups that it makes without a device."""
    pins: list[Setting] = field(default_factory=list)
    """Memory that it pins outside of branches that ask for an accelerator."""
    implicit: dict[SiteId, Event] = field(default_factory=dict)
    """Factories that name no device where one is at hand."""
    settled: set[SiteId] = field(default_factory=set)
    """Factories whose tensors were put somewhere later."""
    identities: int = 0
    """How often it was noted below which objects these are, and not just what they are like."""
    taken: dict[int, Instance] = field(default_factory=dict)
    """The modules whose parameters were asked for."""
    untaken: list[tuple[Registration, list[Instance]]] = field(default_factory=list)
    """Modules in plain containers of these, and the containers."""
    moved_in_use: set[SiteId] = field(default_factory=set)
    """Where the modules were made that a forward moves itself."""


class Process(Object):
    """What a process has set and started.

    What a path decides is in cells, so that the store takes it back with the path. A cell that is left empty
    (`NONE`) on one path and filled on another one holds a union where they meet: then nothing is sure of it.
    """

    __slots__ = ("at_import", "facts")

    def __init__(self, facts: Facts | None = None) -> None:
        super().__init__(dict.fromkeys(_CELLS, NONE))
        self.facts = Facts() if facts is None else facts
        self.at_import: Process | None = None
        """The process as importing the file leaves it: before what it does as the start of a program."""

    def known(self, key: str) -> Known | None:
        """What a cell holds on every path that leads here."""
        held = self.cells[key]
        return held if isinstance(held, Known) and held.value is not None else None

    @property
    def visible_devices(self) -> int | None:
        """How many devices the program itself has said that it sees, if it has said so for sure."""
        held = self.known(VISIBLE)
        return held.value if held is not None and isinstance(held.value, int) else None

    def twin(self) -> Process:
        """Another process that has come as far."""
        made = Process(self.facts)
        made.cells = dict(self.cells)
        return made

    def reached_main(self) -> None:
        """Note that the file asks whether it is the start of the program."""
        self.at_import = self.twin()
