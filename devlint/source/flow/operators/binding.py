"""Which argument of an operator each passed value is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from devlint.operators import WRITTEN, Argument, ArgumentKind, Operator
from devlint.source import ir
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import TOP, Literal, Value

Handler = Callable[[Frame, ir.Call, str, Sequence[Passed]], Value]
"""What a call of something imported, by that name, comes to."""


def keyword(passed: Sequence[Passed], name: str, position: int | None = None) -> Passed | None:
    """The argument passed by this name or at this position."""
    for argument in passed:
        if argument.keyword == name:
            return argument
    if position is None:
        return None
    positional = [argument for argument in passed if not argument.keyword and not argument.stars]
    return positional[position] if position < len(positional) else None


@dataclass(frozen=True, slots=True)
class Bound:
    """A call of an operator with its arguments sorted out."""

    operator: Operator
    arguments: tuple[tuple[Argument, Passed], ...]

    def passed(self, name: str) -> Passed | None:
        """What was passed for the argument of this name."""
        return next((passed for argument, passed in self.arguments if argument.name == name), None)

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
        return passed is not None and passed.value != Literal(None)

    def is_true(self, name: str) -> bool:
        """Whether a flag was passed as true."""
        return self.value(name) == Literal(value=True)

    def of_kind(self, kind: ArgumentKind) -> Passed | None:
        """What was passed for the first argument of a kind."""
        return next((passed for argument, passed in self.arguments if argument.kind is kind), None)


_UNNAMED = Argument("", ArgumentKind.OTHER)


def bind(operator: Operator, passed: Sequence[Passed]) -> Bound:
    """Sort out arguments: by position up to the keyword-only ones, then by name.

    Positional arguments beyond the declared ones belong to the last variadic one (`torch.zeros(2, 3)`); after
    `*args` nothing is known of positions.
    """
    positional = operator.positional
    pairs: list[tuple[Argument, Passed]] = []
    position, lost = 0, False
    for item in passed:
        if item.stars:
            declared = positional[position] if position < len(positional) and not lost else _UNNAMED
            whole = item.stars == 1 and declared.variadic
            pairs.append(
                (declared, item) if whole else (_UNNAMED, Passed(TOP, item.expression, stars=item.stars))
            )
            lost = lost or not whole
        elif item.keyword:
            pairs.append((operator.named(item.keyword) or Argument(item.keyword, ArgumentKind.OTHER), item))
        else:
            declared = positional[position] if position < len(positional) and not lost else _UNNAMED
            pairs.append((declared, item))
            position += not declared.variadic
    return Bound(operator, tuple(pairs))


def as_indices(indices: list[Passed]) -> list[Passed]:
    """Indices as the operators table knows them: all of them are the one argument `indices`."""
    return [replace(index, keyword="indices") for index in indices]
