"""Expressions of the intermediate form, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from devlint.model import SiteId


@dataclass(frozen=True, slots=True)
class Name:
    id: SiteId
    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal of a simple type; adjacent strings are joined."""

    id: SiteId
    value: str | bytes | int | float | complex | bool | None


@dataclass(frozen=True, slots=True)
class Format:
    """An f-string with fields. `parts` holds literal text and the formatted expressions in order.

    An expression within a format (`{x:{width}}`) comes behind the one that it formats.
    """

    id: SiteId
    parts: tuple[str | Expression, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    id: SiteId
    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Argument:
    value: Expression
    keyword: str = ""
    stars: int = 0
    """1 for `*args`, 2 for `**kwargs`."""


@dataclass(frozen=True, slots=True)
class Call:
    id: SiteId
    function: Expression
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    id: SiteId
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True)
class Subscript:
    """`value[indices]`; `x[a, b]` has two indices, `x[(a, b)]` has one."""

    id: SiteId
    value: Expression
    indices: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Starred:
    id: SiteId
    value: Expression


class Shape(Enum):
    """The kind of a display or comprehension."""

    TUPLE = "tuple"
    LIST = "list"
    SET = "set"
    DICT = "dict"
    GENERATOR = "generator"


@dataclass(frozen=True, slots=True)
class Sequence:
    """A tuple, list or set display."""

    id: SiteId
    shape: Shape
    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict display. A key of None stands for `**value`."""

    id: SiteId
    items: tuple[tuple[Expression | None, Expression], ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """`left operator right`; `operator` is the method that Python calls on `left`, without underscores.

    `add sub mul matmul truediv floordiv mod pow lshift rshift and or xor`.
    """

    id: SiteId
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Unary:
    """`operator` is `neg`, `pos`, `invert` or `not`."""

    id: SiteId
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Boolean:
    """`left and right`, `left or right`."""

    id: SiteId
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Compare:
    """`left < a <= b`; operators are `lt le gt ge eq ne is is_not in not_in`."""

    id: SiteId
    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """`then if test else orelse`."""

    id: SiteId
    test: Expression
    then: Expression
    orelse: Expression


@dataclass(frozen=True, slots=True)
class Loop:
    """One `for target in iterable if conditions` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`key` is given for a dict comprehension only, and not for `{**element for ...}`."""

    id: SiteId
    shape: Shape
    key: Expression | None
    element: Expression
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    id: SiteId
    """Stands for the name."""
    name: str
    annotation: Expression | None
    default: Expression | None
    stars: int = 0
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Lambda:
    id: SiteId
    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Walrus:
    id: SiteId
    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Await:
    id: SiteId
    value: Expression


@dataclass(frozen=True, slots=True)
class Yield:
    id: SiteId
    value: Expression | None
    delegates: bool
    """`yield from`."""


@dataclass(frozen=True, slots=True)
class Dots:
    id: SiteId


Expression: TypeAlias = (
    Name
    | Constant
    | Format
    | Attribute
    | Call
    | Slice
    | Subscript
    | Starred
    | Sequence
    | Mapping
    | Binary
    | Unary
    | Boolean
    | Compare
    | Conditional
    | Comprehension
    | Lambda
    | Walrus
    | Await
    | Yield
    | Dots
)
