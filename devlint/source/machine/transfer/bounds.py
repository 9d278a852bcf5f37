"""What comparisons of a number with constants say about each other: what is not greater than 0 is not 1."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
}


class _Comparison(NamedTuple):
    """The comparison of a value with a whole number."""

    name: str
    subject: Hashable
    bound: int

    def holds(self, value: int) -> bool:
        return _COMPARE[self.name](value, self.bound)


def implied(test: Hashable, facts: Mapping[Hashable, bool]) -> bool | None:
    """The outcome of the comparison of a whole number with a constant that follows from those of others; None
    if none follows.

    Between two constants, and beyond all of them, each number has the same outcomes as its neighbor.
    """
    asked = _comparison(test)
    if asked is None:
        return None
    known = [(each, outcome) for key, outcome in facts.items() if (each := _comparison(key)) is not None]
    known = [(each, outcome) for each, outcome in known if each.subject == asked.subject]
    if not known:
        return None
    bounds = [asked.bound, *(each.bound for each, _ in known)]
    values = {bound + step for bound in bounds for step in (-1, 0, 1)}
    possible = [value for value in values if all(each.holds(value) is outcome for each, outcome in known)]
    answers = {asked.holds(value) for value in possible}
    return answers.pop() if len(answers) == 1 else None


def _comparison(key: Hashable) -> _Comparison | None:
    match key:
        case (str(name), subject, (_, int(bound))) if name in _COMPARE and not isinstance(bound, bool):
            return _Comparison(name, subject, bound)
        case _:
            return None
