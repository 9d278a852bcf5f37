"""Text that is made of values, for which the host reads tensors."""

from __future__ import annotations

from devlint.model import Cause
from devlint.source.machine.domain.values import Tensor, Value, alternatives
from devlint.source.machine.heap.machine import Machine, Passed
from devlint.source.machine.operators.waits import note_wait


def formatted(machine: Machine, held: Value, written: Passed) -> None:
    """Note that text is made of a value, for which the host reads a tensor."""
    for each in alternatives(held):
        if isinstance(each, Tensor):
            note_wait(machine, written.site, "torch.Tensor.__format__", Cause.FORMAT, each, written, "self")
