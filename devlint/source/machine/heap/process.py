"""The process of a program: its settings and state that concern devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from devlint.model import CPU, Confidence, Event, Registration, Setting, SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import NONE, Cells, DeviceValue, Known, Object
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Instance

STARTED = "accelerator"
"""The site at which the accelerator's runtime has started."""
VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The number of devices that the program makes visible."""
BLOCKING = "CUDA_LAUNCH_BLOCKING"
"""The last assignment to that variable."""
BLOCKING_SITE = "site of CUDA_LAUNCH_BLOCKING"
AFRESH = "start method"
"""True if worker processes start afresh instead of being forked."""
BACKEND = "backend of the process group"
"""The backend that the program requests for all devices, such as `nccl`."""
DEFAULT_DEVICE = "default device"
"""The device of factories that name none."""
TENSOR_TYPE = "default tensor type"
"""The device of the default tensor type, which `torch.Tensor(...)` has."""
INITIAL: Cells = {
    **dict.fromkeys((STARTED, VISIBLE, BLOCKING, BLOCKING_SITE, AFRESH, BACKEND), NONE),
    **dict.fromkeys((DEFAULT_DEVICE, TENSOR_TYPE), DeviceValue(CPU)),
}
"""The state of a new process."""


@dataclass(slots=True)
class Worker:
    """A process that the program or a data loader starts."""

    what: str
    """The code that it runs, as findings name it."""
    confidence: Confidence
    failed: bool = False
    """Whether it has used an accelerator, which raises."""


class Waiting(NamedTuple):
    """A data loader from which nothing has been drawn yet."""

    loader: Instance
    frame: Frame
    node: ir.Expression


@dataclass(slots=True)
class Facts:
    """Facts about a whole run, collected on all paths."""

    questions: int = 0
    """The number of tests whether there is an accelerator."""
    asked: SiteId | None = None
    """The first test after which the program continues without an accelerator."""
    fallback: SiteId | None = None
    """The first test that chooses whether to use an accelerator."""
    needs_accelerator: bool = False
    """Whether the program ends with an error if there is no accelerator."""
    late: list[Setting] = field(default_factory=list)
    """Choices of the visible devices that the process has made too late, unless they are meant for a child
    process that it is about to start."""
    hard_coded: list[Setting] = field(default_factory=list)
    """Accelerators that are named outside of branches that test for one."""
    asks_for_mps: bool = False
    chooses_device: bool = False
    """Whether the program sets the current device, or makes one device visible to each process."""
    reads_ordinal: bool = False
    """Whether it reads a device, or the ordinal of one, that is not known."""
    makes_loaders: bool = False
    keeps_gradients: bool = False
    """Whether the program asks for gradients of results, or of what may be one."""
    log_level: int = 30
    """The level from which on messages are logged: `logging.WARNING`, unless the program sets a lower one."""
    waiting: list[Waiting] = field(default_factory=list)
    groups: list[Event] = field(default_factory=list)
    """NCCL groups that are created without a device."""
    pins: list[Setting] = field(default_factory=list)
    """Memory that is pinned outside of branches that test for an accelerator."""
    implicit: dict[SiteId, Event] = field(default_factory=dict)
    """Factories without a device in functions that have one."""
    settled: set[SiteId] = field(default_factory=set)
    """Factories whose tensors are moved later."""
    identities: int = 0
    """How often a fact below referred to the identity of objects, not only to their contents."""
    requests: list[Instance] = field(default_factory=list)
    """The modules whose parameters the program has requested, once for each request."""
    taken: dict[int, Instance] = field(default_factory=dict)
    """The same modules and their parts, by identity."""
    untaken: list[tuple[Registration, list[Instance]]] = field(default_factory=list)
    """The modules in plain containers of these modules, with the containers."""
    moved_in_use: set[SiteId] = field(default_factory=set)
    """The sites that create modules which a forward moves."""


class Process(Object):
    """The settings and state of a process.

    The state that depends on the path is in cells, so that the store restores it at the end of a path. A cell
    that is empty (`NONE`) on one path and set on the other one holds a union after the join: then it is not
    certain.
    """

    __slots__ = ("at_import", "facts")

    def __init__(self, facts: Facts | None = None) -> None:
        super().__init__(dict(INITIAL))
        self.facts = Facts() if facts is None else facts
        self.at_import: Process | None = None
        """The process after the import of the file, before the code that runs only as a script."""

    def known(self, key: str) -> Known | None:
        """The value that a cell has on every path that leads here."""
        held = self.cells[key]
        return held if isinstance(held, Known) and held.value is not None else None

    @property
    def visible_devices(self) -> int | None:
        """The number of devices that the program makes visible, if it certainly does."""
        held = self.known(VISIBLE)
        return held.value if held is not None and isinstance(held.value, int) else None

    def twin(self) -> Process:
        """A copy of the process in its present state."""
        made = Process(self.facts)
        made.cells = dict(self.cells)
        return made

    def reached_main(self) -> None:
        """Record that the file tests whether it is the start of the program."""
        self.at_import = self.twin()
