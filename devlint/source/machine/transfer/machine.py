"""What the transfer functions ask of the machine, besides what the rooms below them do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import Imported, Value
from devlint.source.machine.heap.files import File
from devlint.source.machine.heap.machine import Elements, Frame, Passed
from devlint.source.machine.heap.machine import Machine as LowerMachine
from devlint.source.machine.heap.objects import (
    Class,
    Container,
    Function,
    GeneratorObject,
    Instance,
    Scope,
)
from devlint.source.machine.reporting.loops import Loop
from devlint.source.walk import Node

if TYPE_CHECKING:
    from devlint.source.machine.transfer.statements import End


class Machine(LowerMachine, Protocol):
    """The abstract machine, as transfer functions see it."""

    depth: int
    """How many calls are being followed."""
    running: dict[tuple[str, SiteId], int]
    """How often each function is being followed."""
    steps: int
    """How many statements and expressions were run."""

    def assign(self, target: ir.Expression, held: Value, frame: Frame) -> None:
        """`target = held`."""
        ...

    def drawn(self, item: Value) -> Value:
        """What a turn of the innermost loop draws."""
        ...

    def run_block(self, block: ir.Block, frame: Frame) -> End:
        """Run statements."""
        ...

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
        ...

    def as_test(self, held: Value, expression: ir.Expression, frame: Frame) -> Value:
        """A value where a truth value is wanted; the host waits for a device tensor."""
        ...

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Note that a flag decides whether something is done;
        of interest if that is about devices."""
        ...

    def exited(self) -> bool:
        """Whether the program was just ended."""
        ...

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no call is followed any more."""
        ...

    def surrounded(self, *, periodic: bool = False, rare: bool = False) -> AbstractContextManager[None]:
        """Run a branch."""
        ...

    def looping(
        self, node: ir.For | ir.While, turns: int | None, frame: Frame
    ) -> AbstractContextManager[Loop]:
        """Run a loop."""
        ...

    def fields_of(self, made: Class) -> list[str]:
        """The fields of a record, those of its bases first."""
        ...

    def annotated(self, owner: Class, name: str) -> None:
        """Note a field that a class body declares."""
        ...

    def defaults(self, parameters: tuple[ir.Parameter, ...], frame: Frame) -> dict[str, Value]:
        """The defaults of parameters, evaluated where the function is defined."""
        ...

    def defined(self, function: Function) -> None:
        """Note a function, to be tried if nothing calls it."""
        ...

    def defined_class(self, made: Class) -> None:
        """Note a class, to be tried if nothing makes an object of it."""
        ...

    def made_of_external(
        self, made: Instance, passed: Sequence[Passed], frame: Frame, node: ir.Expression
    ) -> None:
        """An object of a class of the project that leaves its construction to a base
        outside of it."""
        ...

    def attribute_of_external(
        self, instance: Instance, owner: Value, name: str, node: ir.Expression
    ) -> Value:
        """An attribute that neither an object nor a class of the project has."""
        ...

    def element_of_external(
        self, instance: Instance, indices: Sequence[Passed], frame: Frame, node: ir.Expression
    ) -> Value:
        """`instance[index]`, where a class outside the project decides."""
        ...

    def called_module(self, instance: Instance, passed: Sequence[Passed]) -> None:
        """Note that a module is called: with tensors or parameters on a device that is
        device work."""
        ...

    def keeps_apart(self, held: Container) -> bool:
        """Whether what is added to a container now may have a cell of its own."""
        ...

    def extend(self, held: Container, elements: Elements) -> None:
        """Put further elements into a container."""
        ...

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """What a call of a function comes to in its context."""
        ...

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[list[Value], bool]:
        """What a generator yields, and whether it draws from a data loader."""
        ...

    def builtin(self, name: str, frame: Frame) -> Value:
        """What a name means that no scope binds."""
        ...

    def external_attribute(self, head: str, name: str) -> Value:
        """`head.name`, where `head` is imported from outside the project."""
        ...

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        ...

    def exported(self, file: File, name: str) -> Value:
        """What another file of the project holds under a name."""
        ...

    def resolved(self, held: Imported) -> Value:
        """What an import binds, which is found when it is first used."""
        ...
