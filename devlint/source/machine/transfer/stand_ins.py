"""Placeholder tensors, which are replaced when the first call shows the required size:
`self.grid = torch.zeros(1)`.

A test of their shape decides that: `if self.grid.shape != x.shape: self.grid = …`.
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
    """Lower the confidence of a tensor of known size that one path replaces after a test of its size.

    Hardly any input has the same size.
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
    """The cells whose sizes a test compares."""
    for owner in _owners(test):
        place = cell(machine, owner, frame)
        if place is not None:
            yield place


@once_a_node
def _owners(test: ir.Expression) -> tuple[ir.Expression, ...]:
    """The expression that a test compares with the size of another value."""
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
