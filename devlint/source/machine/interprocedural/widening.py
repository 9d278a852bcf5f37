"""The widening of contexts: a function that was followed in many of them is followed for any size."""

from __future__ import annotations

from devlint.source.machine.domain.values import Known, Scalar
from devlint.source.machine.heap.files import Scope

MOST_WITH_NUMBERS = 8
"""The number of contexts of a function after which larger numbers among its arguments are not told apart:
layers of a network often differ in their sizes only."""
_LARGER = 8
"""Sizes are mostly at least this number; numbers that select something, such as ordinals, are mostly less."""
_ANY_LARGER = Scalar("int", least=_LARGER)
_ANY_FLOAT = Scalar("float")


def widen_numbers(scope: Scope) -> None:
    """Replace larger numbers among the arguments of a call by any such number."""
    for name, each in scope.cells.items():
        if type(each) is Known and type(each.value) is float:
            scope.cells[name] = _ANY_FLOAT
        elif type(each) is Known and type(each.value) is int and each.value >= _LARGER:
            scope.cells[name] = _ANY_LARGER
