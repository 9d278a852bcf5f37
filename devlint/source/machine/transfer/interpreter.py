"""What the transfer functions ask of the machine, besides what the rooms below them do."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import Value
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import GeneratorObject
from devlint.source.machine.transfer.ends import End
from devlint.source.walk import Node

Evaluators: TypeAlias = Mapping[type, Callable[[Any, Any, Frame], Value]]
"""What gives the value of an expression, by the expression's type; it is given the machine, too."""


class ValueWatcher(Protocol):
    """Somebody who is told what expressions and names come to, as a program runs."""

    def note(self, node: ir.Expression | ir.Parameter, held: Value, machine: Machine, frame: Frame) -> None:
        """An expression, the target of an assignment or a parameter holds a value."""
        ...


class Interpreter(Machine, Protocol):
    """The abstract machine, as transfer functions see it."""

    evaluators: Evaluators
    watch: ValueWatcher | None
    steps: int
    """How many statements and expressions were run."""
    has_outcomes: bool
    """Whether it is known of some tensor which outcome of a test has made it what it is."""
    chosen: dict[Hashable, bool]
    """What is known of tests on all paths, see `device_choices`."""
    forks: int
    """How many tests there are whose outcomes are told apart on this path."""

    def run_block(self, block: ir.Block, frame: Frame) -> End:
        """Run statements."""
        ...

    def call_function(self, function: Function, call: Call, *, receiver: Value | None = None) -> Value:
        """Follow a function of the project."""
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

    def may_follow(self, function: Function) -> bool:
        """Whether a call is followed: within the budget, not too deep, not too often within itself."""
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

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        ...

    def exported(self, file: File, name: str) -> Value:
        """What another file of the project holds under a name."""
        ...
