"""Tests of environment variables: `if "CUDA_VISIBLE_DEVICES" not in os.environ`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import NONE, External, Known, Scalar, alternatives
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.process import VISIBLE
from devlint.source.machine.library.environment import ENVIRONMENT
from devlint.source.machine.transfer.cells import Narrowing
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import path


def narrow_environment(
    machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool
) -> list[Narrowing]:
    """Record that the variable that selects devices is set where a test shows it, to an unknown number of
    devices."""
    if not _shows(machine, test, frame, taken=taken):
        return []
    before, after = machine.process.cells[VISIBLE], Scalar("int")
    if NONE not in alternatives(before):
        return []
    machine.store.write(machine.process, VISIBLE, after)
    return [(machine.process, VISIBLE, before, after)]


def _shows(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> bool:
    """Whether a test shows that the variable is in the environment."""
    match test:
        case ir.Compare(left=name, rest=((("in" | "not_in") as how, held),)) if (how == "in") is taken:
            is_plain = isinstance(name, ir.Constant) or bool(path(name))
            return (
                is_plain
                and bool(path(held))
                and machine.evaluate(name, frame) == Known(VISIBLE)
                and machine.evaluate(held, frame) == External(ENVIRONMENT)
            )
        case _:
            return False
