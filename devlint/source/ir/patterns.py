"""Patterns of `match` statements."""

from __future__ import annotations

from typing import TypeAlias

from devlint.model.value import value
from devlint.source.ir.expressions import Expression


@value
class ValuePattern:
    """A pattern to which the subject has to be equal (`1`, `torch.float32`) or identical (`None`, `True`,
    `False`)."""

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
    """`{key: pattern, **rest}`; `rest` is empty if the pattern has none."""

    items: tuple[tuple[Expression, Pattern], ...]
    rest: str


@value
class ClassPattern:
    """`type(positional, attribute=pattern)`; a positional argument has an empty keyword."""

    type: Expression
    arguments: tuple[tuple[str, Pattern], ...]


@value
class AlternativePattern:
    """`pattern | pattern`: the first one that matches."""

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
