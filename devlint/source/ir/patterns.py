"""Patterns of `match` statements."""

from __future__ import annotations

from typing import TypeAlias

from devlint.model.value import value
from devlint.source.ir.expressions import Expression


@value
class ValuePattern:
    """What the subject has to be equal to: `1`, `torch.float32`; or the same as: `None`, `True`, `False`."""

    value: Expression


@value
class CapturePattern:
    """`name`, or `pattern as name`. `_` has an empty name and no pattern."""

    pattern: Pattern | None
    name: str


@value
class RestPattern:
    """`*name` in a sequence; `*_` has an empty name."""

    name: str


@value
class SequencePattern:
    """`[first, second, *rest]`."""

    elements: tuple[Pattern, ...]


@value
class MappingPattern:
    """`{key: pattern, **rest}`; `rest` is empty where the pattern has none."""

    items: tuple[tuple[Expression, Pattern], ...]
    rest: str


@value
class ClassPattern:
    """`type(positional, attribute=pattern)`; each argument has its keyword, or an empty one."""

    type: Expression
    arguments: tuple[tuple[str, Pattern], ...]


@value
class AlternativePattern:
    """`pattern | pattern`: the first one that fits."""

    alternatives: tuple[Pattern, ...]


Pattern: TypeAlias = (
    ValuePattern
    | CapturePattern
    | RestPattern
    | SequencePattern
    | MappingPattern
    | ClassPattern
    | AlternativePattern
)
