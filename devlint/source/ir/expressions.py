"""Expressions of the intermediate representation, and their parts."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from devlint.model import SiteId
from devlint.model.value import value


@value
class Name:
    id: SiteId
    name: str


@value
class Constant:
    """A literal of a simple type; adjacent strings are joined."""

    id: SiteId
    value: str | bytes | int | float | complex | bool | None


@value
class Format:
    """An f-string with fields.

    `parts` contains literal text and the formatted expressions in order. An expression within a format
    (`{x:{width}}`) follows the expression that it formats.
    """

    id: SiteId
    parts: tuple[str | Expression, ...]


@value
class Attribute:
    id: SiteId
    value: Expression
    name: str


@value
class Argument:
    value: Expression
    keyword: str = ""
    stars: int = 0
    """1 for `*args`, 2 for `**kwargs`."""


@value
class CallExpression:
    id: SiteId
    function: Expression
    arguments: tuple[Argument, ...]


@value
class Slice:
    id: SiteId
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@value
class Subscript:
    """`value[indices]`; `x[a, b]` has two indices, `x[(a, b)]` has one."""

    id: SiteId
    value: Expression
    indices: tuple[Expression, ...]


@value
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


@value
class Sequence:
    """A tuple, list or set display."""

    id: SiteId
    shape: Shape
    elements: tuple[Expression, ...]


@value
class Mapping:
    """A dict display. A key of None stands for `**value`."""

    id: SiteId
    items: tuple[tuple[Expression | None, Expression], ...]


@value
class Binary:
    """`left operator right`; `operator` is the method that Python calls on `left`, without underscores.

    `add sub mul matmul truediv floordiv mod pow lshift rshift and or xor`.
    """

    id: SiteId
    operator: str
    left: Expression
    right: Expression


@value
class Unary:
    """`operator` is `neg`, `pos`, `invert` or `not`."""

    id: SiteId
    operator: str
    operand: Expression


@value
class Boolean:
    """`left and right`, `left or right`."""

    id: SiteId
    operator: str
    left: Expression
    right: Expression


@value
class Compare:
    """`left < a <= b`; operators are `lt le gt ge eq ne is is_not in not_in`."""

    id: SiteId
    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@value
class Conditional:
    """`then if test else orelse`."""

    id: SiteId
    test: Expression
    then: Expression
    orelse: Expression


@value
class CompFor:
    """One clause `for target in iterable if conditions` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@value
class Comprehension:
    """`key` is set only for a dict comprehension, and not for `{**element for ...}`."""

    id: SiteId
    shape: Shape
    key: Expression | None
    element: Expression
    loops: tuple[CompFor, ...]


@value
class Parameter:
    id: SiteId
    """The site is that of the name."""
    name: str
    annotation: Expression | None
    default: Expression | None
    stars: int = 0
    keyword_only: bool = False


@value
class Lambda:
    id: SiteId
    parameters: tuple[Parameter, ...]
    body: Expression


@value
class Walrus:
    id: SiteId
    target: Expression
    value: Expression


@value
class Await:
    id: SiteId
    value: Expression


@value
class Yield:
    id: SiteId
    value: Expression | None
    delegates: bool
    """`yield from`."""


@value
class Dots:
    id: SiteId


Expression: TypeAlias = (
    Name
    | Constant
    | Format
    | Attribute
    | CallExpression
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
