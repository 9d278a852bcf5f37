"""What an activation asks of the file that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from devlint.model import Device, Event, SiteId, Subject
from devlint.source import ir
from devlint.source.flow.patterns.workers import Workers
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.values import ClassValue, FunctionValue, Instance, Value
from devlint.source.flow.syntax.imports import Imports

if TYPE_CHECKING:
    from devlint.source.flow.state.frame import Frame, Passed


class Asked(NamedTuple):
    """What the test of a branch asks about."""

    devices: bool
    """Where the program runs."""
    trace: bool
    """Whether code is traced or exported, and so not run on any device."""
    occasional: bool
    """What does not hold at every turn: `if step % 100 == 0`, `if verbose`."""


class Program(Protocol):
    """What a frame asks of the file that it belongs to."""

    sets_current_device: bool
    """Whether the file calls `torch.cuda.set_device` anywhere."""
    visible_devices: int | None
    """How many devices the program says are visible."""
    workers: Workers
    """What runs in worker processes."""
    runs_on_host: bool
    """Whether the program has a way to go where there is no accelerator."""
    asked_for: set[str]
    """The types of accelerators that it asks for."""

    wanted: frozenset[Subject]
    """Which settings and registrations are worth noting here."""
    path: str
    """By which files are told apart."""
    asked: dict[SiteId, Asked]
    """What tests of branches ask about, as far as they have been looked at."""
    imports: Imports
    """What it imports from the project's other files."""

    @property
    def set_from_outside(self) -> frozenset[str]:
        """The attributes that the file sets on other objects than `self`."""
        ...

    @property
    def globals(self) -> Environment:
        """What the body of the file has bound."""
        ...

    @property
    def started_at_import(self) -> SiteId | None:
        """The first call of the file's body that starts the CUDA runtime."""
        ...

    def emit(self, event: Event, frame: Frame) -> None:
        """Note what was seen in an activation."""
        ...

    def settle(self, info: ClassInfo) -> None:
        """Work out the attributes of a class, unless that has been done."""
        ...

    def define_function(
        self, node: ir.Function, frame: Frame, info: ClassInfo | None = None
    ) -> FunctionValue:
        """The value of a `def`, in a class if there is one."""
        ...

    def define_lambda(self, node: ir.Function, frame: Frame) -> FunctionValue:
        """The value of a `lambda`."""
        ...

    def define_class(self, node: ir.Class, frame: Frame) -> ClassValue:
        """The value of a `class`."""
        ...

    def set_default(self, device: Device) -> None:
        """Note what is made torch's default device."""
        ...

    def make_record(self, made: Instance, frame: Frame) -> None:
        """Note what the fields of a dataclass are given."""
        ...

    def construct(self, info: ClassInfo, passed: Sequence[Passed]) -> None:
        """Note what lies on the host of what the constructor of a class is given."""
        ...

    def call_function(
        self,
        frame: Frame,
        site: SiteId,
        callee: FunctionValue,
        passed: Sequence[Passed],
        receiver: Value | None,
    ) -> Value:
        """What a function of the file returns for these arguments."""
        ...
