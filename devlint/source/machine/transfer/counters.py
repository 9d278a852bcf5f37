"""Numbers that a loop counts on from: `step = start`, and `step += 1` in each turn."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Scalar, changed
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node, walk


def count_on(machine: Interpreter, node: ir.For | ir.While, frame: Frame) -> None:
    """Before the first turn of a loop: the unknown numbers to which it adds a constant count its turns."""
    for name in _counted(node):
        home = frame.scope.home(name)
        held = home.cells.get(name)
        if isinstance(held, Scalar) and held.type == "int" and not held.counter:
            machine.store.write(home, name, changed(held, counter=True))


@once_a_node
def _counted(node: ir.For | ir.While) -> frozenset[str]:
    return frozenset(
        each.target.name
        for each in walk(node.body)
        if isinstance(each, ir.AugmentedAssign)
        and each.operator == "add"
        and isinstance(each.target, ir.Name)
        and isinstance(each.value, ir.Constant)
    )
