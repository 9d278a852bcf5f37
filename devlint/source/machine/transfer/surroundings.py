"""Where the machine is meanwhile: in a branch that is seldom taken, in a loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from devlint.source import ir
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter


def surrounded(
    machine: Interpreter, *, periodic: bool = False, rare: bool = False, expected: bool = False
) -> AbstractContextManager[None]:
    """Run a branch, or a block."""
    if periodic or rare or expected:
        return _surrounded(machine, periodic=periodic, rare=rare, expected=expected)
    return _AS_BEFORE  # most branches


_AS_BEFORE = nullcontext()


@contextmanager
def _surrounded(machine: Interpreter, *, periodic: bool, rare: bool, expected: bool) -> Iterator[None]:
    around = machine.around
    before = around.periodic, around.rare, around.expected
    around.periodic = before[0] or periodic
    around.rare = before[1] or rare
    around.expected = before[2] or expected
    try:
        yield
    finally:
        around.periodic, around.rare, around.expected = before


@contextmanager
def looping(machine: Interpreter, node: ir.For | ir.While, turns: int | None, frame: Frame) -> Iterator[Loop]:
    """Run a loop."""
    around = machine.around
    outer, periodic = around.loop, around.periodic
    loop = Loop(outer, frame.site(node), turns=turns, frame=frame, periodic=periodic)
    around.loop, around.periodic = loop, False
    if not machine.world and not around.hypothesis:
        machine.log.enter(loop)
    try:
        yield loop
    finally:
        loop.left()
        around.loop, around.periodic = outer, periodic
