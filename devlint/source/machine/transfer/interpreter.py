"""The protocol by which transfer functions call the machine, in addition to that of the lower packages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import Value
from devlint.source.machine.heap.files import File, Function, Scope
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, GeneratorObject
from devlint.source.machine.transfer.ends import End
from devlint.source.walk import Node

Evaluators: TypeAlias = Mapping[type, Callable[[Any, Any, Frame], Value]]
"""A function that evaluates expressions of a type, with access to the machine."""


class ValueWatcher(Protocol):
    """An observer of the values of expressions and names during a run."""

    def note(self, node: ir.Expression | ir.Parameter, held: Value, machine: Machine, frame: Frame) -> None:
        """Report the value of an expression, the target of an assignment, or a parameter."""
        ...


class Interpreter(Machine, Protocol):
    """The abstract machine, as transfer functions see it."""

    evaluators: Evaluators
    watch: ValueWatcher | None
    steps: int
    """The number of executed statements and expressions."""
    has_outcomes: bool
    """Whether the device of some tensor is known to depend on the outcome of a test."""
    chosen: dict[Hashable, bool]
    """The facts about tests that hold on all paths, see `device_choices`."""
    forks: int
    """The number of tests whose outcomes are distinguished on this path."""

    def run_block(self, block: ir.Block, frame: Frame) -> End:
        """Execute statements."""
        ...

    def call_function(self, function: Function, call: Call, *, receiver: Value | None = None) -> Value:
        """Follow a function of the project."""
        ...

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Record that a flag guards some code; it matters if that code concerns devices."""
        ...

    def is_optional(self, flag: str) -> bool:
        """Whether a flag that does not affect devices has another value than without options."""
        ...

    def exited(self) -> bool:
        """Whether the program has just ended."""
        ...

    def is_exhausted(self) -> bool:
        """Whether the budget is used up, so that no further call is followed."""
        ...

    def may_follow(self, function: Function, passed: Sequence[Passed]) -> bool:
        """Whether a call is followed: the budget is not used up, and it is neither nested too deep nor too
        often recursive."""
        ...

    def followed(self, function: Function, scope: Scope, site: SiteId) -> Value:
        """The result of a function's call in its context."""
        ...

    def run_generator(
        self, held: GeneratorObject, frame: Frame, node: ir.Expression | ir.Statement
    ) -> tuple[Container, bool]:
        """A list of what a generator yields, and whether it draws from a data loader."""
        ...

    def run_around(self, held: GeneratorObject, site: SiteId, inside: Callable[[Value], None]) -> bool:
        """Execute a generator, and something at each `yield`, with the yielded value. Returns whether it was
        followed."""
        ...

    def builtin(self, name: str, frame: Frame) -> Value:
        """The meaning of a name that no scope binds."""
        ...

    def run_import(self, node: ir.Import, frame: Frame) -> None:
        """`import module`, `from module import name`."""
        ...

    def import_cannot_fail(self, node: ir.Import, frame: Frame) -> bool:
        """Whether an import executes files of the project that nothing can make fail."""
        ...

    def exported(self, file: File, name: str) -> Value:
        """The value of a name in another file of the project."""
        ...
