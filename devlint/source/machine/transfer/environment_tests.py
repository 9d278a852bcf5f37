"""Tests of environment variables: `if "CUDA_VISIBLE_DEVICES" not in os.environ`."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import NONE, External, Scalar, alternatives
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.process import VISIBLE
from devlint.source.machine.library.environment import ENVIRONMENT
from devlint.source.machine.transfer.cells import Narrowing
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import path


def narrow_environment(
    machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool
) -> list[Narrowing]:
    """Narrow the visible devices where the variable that selects them is shown to be set."""
    match test:
        case ir.Compare(left=ir.Constant(value=name), rest=((("in" | "not_in") as how, place),)) if (
            name == VISIBLE and (how == "in") is taken and path(place)
        ):
            before = machine.process.cells[VISIBLE]
            if NONE in alternatives(before) and machine.evaluate(place, frame) == External(ENVIRONMENT):
                after = Scalar("int")
                machine.store.write(machine.process, VISIBLE, after)
                return [(machine.process, VISIBLE, before, after)]
        case _:
            pass
    return []
