"""Binding of passed values to an operator's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from devlint.operators import UNNAMED, WRITTEN, ArgumentKind, Operator, OperatorArgument, argument_for
from devlint.source.machine.domain.values import NONE, TOP, TRUE, Value
from devlint.source.machine.heap.frames import Passed


class Bound:
    """A call of an operator with bound arguments."""

    __slots__ = ("arguments", "operator")

    def __init__(self, operator: Operator, arguments: list[tuple[OperatorArgument, Passed]]) -> None:
        self.operator = operator
        self.arguments = arguments

    def passed(self, name: str) -> Passed | None:
        """The argument that was passed by this name."""
        for argument, passed in self.arguments:
            if argument.name == name:
                return passed
        return None

    def value(self, name: str) -> Value | None:
        """The value passed for the argument of this name."""
        passed = self.passed(name)
        return None if passed is None else passed.value

    @property
    def written(self) -> Passed | None:
        """The value that is written into the first operand."""
        return next((passed for name in WRITTEN if (passed := self.passed(name)) is not None), None)

    def has_value(self, name: str) -> bool:
        """Whether an argument was passed and is not None."""
        passed = self.passed(name)
        return passed is not None and passed.value != NONE

    def is_true(self, name: str) -> bool:
        """Whether a flag was passed as true."""
        return self.value(name) == TRUE

    def of_kind(self, kind: ArgumentKind) -> Passed | None:
        """The first argument of a kind."""
        for argument, passed in self.arguments:
            if argument.kind is kind:
                return passed
        return None

    @property
    def has_unknown_keywords(self) -> bool:
        """Whether unknown `**keywords` are passed."""
        return any(passed.stars == 2 for _, passed in self.arguments)


def bind(operator: Operator, passed: Sequence[Passed]) -> Bound:
    """Bind each value to an argument. Positions after `*args` are unknown."""
    pairs: list[tuple[OperatorArgument, Passed]] = []
    position, lost = 0, False
    for item in passed:
        known = item.keyword or not lost
        declared = argument_for(operator, item.keyword or position) if known else UNNAMED
        if item.stars == 2 or (item.stars and not declared.variadic):
            pairs += [(each, item) for each in _tensors_from(operator, position) if item.stars == 1]
            pairs.append((UNNAMED, item._replace(value=TOP)))
            lost = True
        else:
            pairs.append((declared, item))
            position += not item.keyword and not item.stars
    return Bound(operator, pairs)


def _tensors_from(operator: Operator, position: int) -> Sequence[OperatorArgument]:
    """The tensor arguments from a position on, which one sequence fills: `lu_unpack(*a.lu())`."""
    others = operator.arguments[position:]
    return list(takewhile(lambda each: each.kind is ArgumentKind.TENSOR and not each.keyword_only, others))
