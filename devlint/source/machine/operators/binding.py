"""Which argument of an operator each passed value is."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.operators import WRITTEN, ArgumentKind, Operator, OperatorArgument
from devlint.source.machine.domain.values import NONE, TOP, TRUE, Value
from devlint.source.machine.heap.frames import Passed

_UNNAMED = OperatorArgument("", ArgumentKind.OTHER)


class Bound:
    """A call of an operator with its arguments sorted out."""

    __slots__ = ("arguments", "operator")

    def __init__(self, operator: Operator, arguments: list[tuple[OperatorArgument, Passed]]) -> None:
        self.operator = operator
        self.arguments = arguments

    def passed(self, name: str) -> Passed | None:
        """What was passed for the argument of this name."""
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
        """What was passed to be written into the first operand."""
        return next((passed for name in WRITTEN if (passed := self.passed(name)) is not None), None)

    def given(self, name: str) -> bool:
        """Whether an argument was passed and is not None."""
        passed = self.passed(name)
        return passed is not None and passed.value != NONE

    def is_true(self, name: str) -> bool:
        """Whether a flag was passed as true."""
        return self.value(name) == TRUE

    def of_kind(self, kind: ArgumentKind) -> Passed | None:
        """What was passed for the first argument of a kind."""
        for argument, passed in self.arguments:
            if argument.kind is kind:
                return passed
        return None

    @property
    def has_unknown_keywords(self) -> bool:
        """Whether `**keywords` are passed of which nothing is known."""
        return any(passed.stars == 2 for _, passed in self.arguments)


def bind(operator: Operator, passed: Sequence[Passed]) -> Bound:
    """Sort out arguments: by position up to the keyword-only ones, then by name.

    Positional arguments beyond the declared ones belong to the last variadic one (`torch.zeros(2, 3)`); after
    `*args` nothing is known of positions.
    """
    declared_all = operator.arguments  # those that can be given by position come first
    pairs: list[tuple[OperatorArgument, Passed]] = []
    position, lost = 0, False
    for item in passed:
        if item.stars:
            declared = _UNNAMED if lost else _at(declared_all, position)
            whole = item.stars == 1 and declared.variadic
            pairs.append((declared, item) if whole else (_UNNAMED, item._replace(value=TOP)))
            lost = lost or not whole
        elif item.keyword:
            pairs.append(
                (operator.named(item.keyword) or OperatorArgument(item.keyword, ArgumentKind.OTHER), item)
            )
        else:
            declared = _UNNAMED if lost else _at(declared_all, position)
            pairs.append((declared, item))
            position += not declared.variadic
    return Bound(operator, pairs)


def _at(arguments: Sequence[OperatorArgument], position: int) -> OperatorArgument:
    """The argument that is given at a position."""
    if position >= len(arguments) or arguments[position].keyword_only:
        return _UNNAMED
    return arguments[position]
