"""Expressions of the intermediate form, and what they are made of."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from devlint.model import SiteId
from devlint.source.ir.node import node


@node
class Name:
    id: SiteId
    name: str


@node
class Constant:
    """A literal of a simple type; adjacent strings are joined."""

    id: SiteId
    value: str | bytes | int | float | complex | bool | None


@node
class Format:
    """An f-string with fields. `parts` holds literal text and the formatted expressions in order.

    An expression within a format (`{x:{width}}`) comes behind the one that it formats.
    """

    id: SiteId
    parts: tuple[str | Expression, ...]


@node
class Attribute:
    id: SiteId
    value: Expression
    name: str


@node
class Argument:
    value: Expression
    keyword: str = ""
    stars: int = 0
    """1 for `*args`, 2 for `**kwargs`."""


@node
class Call:
    id: SiteId
    function: Expression
    arguments: tuple[Argument, ...]


@node
class Slice:
    id: SiteId
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@node
class Subscript:
    """`value[indices]`; `x[a, b]` has two indices, `x[(a, b)]` has one."""

    id: SiteId
    value: Expression
    indices: tuple[Expression, ...]


@node
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


@node
class Sequence:
    """A tuple, list or set display."""

    id: SiteId
    shape: Shape
    elements: tuple[Expression, ...]


@node
class Mapping:
    """A dict display. A key of None stands for `**value`."""

    id: SiteId
    items: tuple[tuple[Expression | None, Expression], ...]


@node
class Binary:
    """`left operator right`; `operator` is the method that Python calls on `left`, without underscores.

    `add sub mul matmul truediv floordiv mod pow lshift rshift and or xor`.
    """

    id: SiteId
    operator: str
    left: Expression
    right: Expression


@node
class Unary:
    """`operator` is `neg`, `pos`, `invert` or `not`."""

    id: SiteId
    operator: str
    operand: Expression


@node
class Boolean:
    """`left and right`, `left or right`."""

    id: SiteId
    operator: str
    left: Expression
    right: Expression


@node
class Compare:
    """`left < a <= b`; operators are `lt le gt ge eq ne is is_not in not_in`."""

    id: SiteId
    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@node
class Conditional:
    """`then if test else orelse`."""

    id: SiteId
    test: Expression
    then: Expression
    orelse: Expression


@node
class Loop:
    """One `for target in iterable if conditions` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@node
class Comprehension:
    """`key` is given for a dict comprehension only, and not for `{**element for ...}`."""

    id: SiteId
    shape: Shape
    key: Expression | None
    element: Expression
    loops: tuple[Loop, ...]


@node
class Parameter:
    id: SiteId
    """Stands for the name."""
    name: str
    annotation: Expression | None
    default: Expression | None
    stars: int = 0
    keyword_only: bool = False


@node
class Lambda:
    id: SiteId
    parameters: tuple[Parameter, ...]
    body: Expression


@node
class Walrus:
    id: SiteId
    target: Expression
    value: Expression


@node
class Await:
    id: SiteId
    value: Expression


@node
class Yield:
    id: SiteId
    value: Expression | None
    delegates: bool
    """`yield from`."""


@node
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
