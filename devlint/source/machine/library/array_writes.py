"""Functions and methods of NumPy that write to an array which a variable or an attribute holds."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Array, changed
from devlint.source.machine.heap.frames import Call, Frame, cell_of
from devlint.source.machine.heap.machine import Machine

_FUNCTIONS = frozenset(
    f"numpy.{name}"
    for name in (
        "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "random.shuffle",
    )
) | {"random.shuffle"}  # fmt: skip
"""Functions that write to their first argument."""
_METHODS = frozenset({"fill", "itemset", "partition", "put", "resize", "setfield", "sort"})


def by_function(machine: Machine, name: str, call: Call) -> None:
    """Record what a function writes to: its first argument, or `out=`."""
    for position, each in enumerate(call.passed):
        if each.keyword == "out" or (position == 0 and name in _FUNCTIONS):
            _written(machine, each.expression, call.frame)


def by_method(machine: Machine, name: str, call: Call) -> None:
    """Record that a method writes to its array."""
    if name in _METHODS:
        _written(machine, call.receiver, call.frame)


def _written(machine: Machine, place: ir.Expression, frame: Frame) -> None:
    """Record that the present loop writes to the array of a name, or of an attribute of a name."""
    cell = cell_of(place, frame)
    held = None if cell is None else cell[0].cells.get(cell[1])
    if cell is not None and isinstance(held, Array) and held.held:
        machine.store.write(*cell, changed(held, written=machine.execution.loop))
