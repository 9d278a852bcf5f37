"""Tensors that stand in until the first call knows what is needed: `self.grid = torch.zeros(1)`.

A test of their shape finds that another one is needed: `if self.grid.shape != x.shape: self.grid = …`.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import Confidence
from devlint.source import ir
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Object, Tensor, changed
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node, walk

_SIZES = frozenset({"dim", "ndim", "numel", "shape", "size"})


def doubt_stand_ins(
    machine: Interpreter, test: ir.Expression, frame: Frame, one: Changes, other: Changes
) -> None:
    """Doubt what one of two paths replaces, and the other one leaves, where a test compares its sizes.

    If all its sizes are written out, hardly any input has the same.
    """
    for target, key in _compared(machine, test, frame):
        place = (id(target), key)
        held = target.cells.get(key)
        if not isinstance(held, Tensor) or held.shape is None or None in held.shape:
            continue
        if (place in one) is not (place in other):
            left = other if place in one else one
            doubted = changed(held, confidence=least_sure(held.confidence, Confidence.POSSIBLE))
            left[place] = (target, key, held, doubted)


def _compared(machine: Interpreter, test: ir.Expression, frame: Frame) -> Iterator[tuple[Object, object]]:
    """The cells that a test tells from others by sizes."""
    for owner in _owners(test):
        place = cell(machine, owner, frame)
        if place is not None:
            yield place


@once_a_node
def _owners(test: ir.Expression) -> tuple[ir.Expression, ...]:
    """That of which a test asks whether it has the sizes of something else."""
    compared = (
        each
        for each in walk((test,))
        if isinstance(each, ir.Compare) and any(name in ("eq", "ne") for name, _ in each.rest)
    )
    return tuple(
        each.value
        for node in compared
        for each in walk((node,))
        if isinstance(each, ir.Attribute) and each.name in _SIZES
    )
