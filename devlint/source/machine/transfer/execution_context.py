"""The execution context of a branch, a block or a loop: rare, periodic, where an error is expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from devlint.source import ir
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import Scalar, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.first_turns import taken_in_one_turn
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import Node, once_a_node, walk


def in_context(
    machine: Interpreter,
    *,
    periodic: bool = False,
    rare: bool = False,
    added: bool = False,
    expected: bool = False,
) -> AbstractContextManager[None]:
    """Execute a branch or a block in a context."""
    if periodic or rare or added or expected:
        return _changed_context(machine, periodic=periodic, rare=rare, added=added, expected=expected)
    return _AS_BEFORE  # most branches


_AS_BEFORE = nullcontext()


@contextmanager
def _changed_context(
    machine: Interpreter, *, periodic: bool, rare: bool, added: bool, expected: bool
) -> Iterator[None]:
    execution = machine.execution
    before = execution.periodic, execution.rare, execution.added, execution.expected
    execution.periodic = before[0] or periodic
    execution.rare = before[1] or rare
    execution.added = before[2] or added
    execution.expected = before[3] or expected
    try:
        yield
    finally:
        execution.periodic, execution.rare, execution.added, execution.expected = before


def is_added(machine: Interpreter, test: Value, other: Sequence[Node]) -> bool:
    """Whether an option adds the branch that a test selects to what the program does without it: the other
    branch, which runs without it, calls nothing. Otherwise the option chooses between two ways."""
    return (
        isinstance(test, Scalar)
        and bool(test.flag)
        and machine.is_optional(test.flag)
        and not any(isinstance(each, ir.CallExpression) for each in walk(other))
    )


def single_turn(
    machine: Interpreter, test: ir.Expression, held: Value, block: ir.Block, frame: Frame, *, taken: bool
) -> AbstractContextManager[None]:
    """Execute a branch. One that leaves a loop, or that the number of the turn selects, is executed once for
    all turns of the loop, as if it stood behind it. `held` is the value of the test."""
    loop = _left(machine.execution.loop, block, frame)
    loop = loop or taken_in_one_turn(machine, test, held, frame, taken=taken)
    return _AS_BEFORE if loop is None else _behind(machine, loop)


def _left(loop: Loop | None, block: ir.Block, frame: Frame) -> Loop | None:
    """The outermost loop that a block leaves at its end."""
    last = block[-1] if block else None
    if loop is None or loop.frame is not frame or not isinstance(last, (ir.Leave, ir.Return)):
        return None
    if isinstance(last, ir.Leave):
        return loop if last.keyword == "break" else None
    while loop.outer is not None and loop.outer.frame is frame:
        loop = loop.outer
    return loop


@contextmanager
def _behind(machine: Interpreter, loop: Loop) -> Iterator[None]:
    execution = machine.execution
    before = execution.loop, execution.periodic
    execution.loop, execution.periodic = loop.outer, loop.periodic
    try:
        yield
    finally:
        execution.loop, execution.periodic = before


@contextmanager
def looping(machine: Interpreter, node: ir.For | ir.While, turns: int | None, frame: Frame) -> Iterator[Loop]:
    """Execute a loop in a context."""
    execution = machine.execution
    outer, periodic = execution.loop, execution.periodic
    resumed = frame.resumed
    yields = resumed is not None and outer is resumed.before and _yields(node)
    around = resumed.turns if resumed is not None and yields else outer
    loop = Loop(around, frame.site(node), turns=turns, frame=frame, periodic=periodic)
    loop.before = outer
    execution.loop, execution.periodic = loop, False
    if not machine.world and not execution.hypothesis:
        machine.log.enter(loop)
    try:
        yield loop
    finally:
        loop.left()
        if execution.hypothesis:
            machine.log.leave(loop, execution.hypothesis)
        execution.loop, execution.periodic = outer, periodic


@once_a_node
def _yields(node: ir.For | ir.While) -> bool:
    """Whether a loop yields, so that what draws from the generator resumes one of its turns each time."""
    return any(isinstance(each, ir.Yield) for each in walk(node.body))


@contextmanager
def before_turns(machine: Interpreter, frame: Frame) -> Iterator[None]:
    """Execute what a loop does once, before its first turn, if it is starting: `__iter__`."""
    execution, loop = machine.execution, machine.execution.loop
    if loop is None or not loop.starting or loop.frame is not frame:
        yield
        return
    execution.loop, execution.periodic = loop.before, loop.periodic
    try:
        yield
    finally:
        execution.loop, execution.periodic = loop, False
