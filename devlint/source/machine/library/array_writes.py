"""Functions and methods of NumPy that write to an array which a variable or an attribute holds."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.values import Array, Object, Reference, changed
from devlint.source.machine.heap.frames import Call, Frame
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
    holder: Object
    match place:
        case ir.Name(name=key):
            holder = frame.scope.home(key)
        case ir.Attribute(value=ir.Name(name=owner), name=key):
            reference = frame.scope.home(owner).cells.get(owner)
            if not isinstance(reference, Reference):
                return
            holder = reference.target
        case _:
            return
    held = holder.cells.get(key)
    if isinstance(held, Array) and held.held:
        machine.store.write(holder, key, changed(held, written=machine.execution.loop))
