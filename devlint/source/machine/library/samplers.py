"""Samplers of the project, of which a data loader asks the indices of its batches."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance

_SAMPLERS = (("sampler", "3"), ("batch_sampler", "4"))
"""The arguments of a data loader, each with its position."""


def iterate(machine: Machine, loader: Instance, frame: Frame, node: ir.Expression | ir.Statement) -> None:
    """Iterate over the samplers of a loader: once for all batches, outside of the loop that draws them."""
    for name, position in _SAMPLERS:
        sampler = loader.arguments.get(name) or loader.arguments.get(position)
        if sampler is None or machine.method_of(sampler, "__iter__") is None:
            continue
        around = machine.execution.loop
        machine.execution.loop = None if around is None else around.before
        machine.elements(sampler, frame, node)
        machine.execution.loop = around
