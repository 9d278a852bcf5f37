"""Statements of the intermediate form, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from devlint.model import SiteId
from devlint.source.ir.expressions import Argument, Expression, Parameter


@dataclass(frozen=True, slots=True)
class Assign:
    """`a = b = value`; an annotated name without a value is an `Annotation`."""

    id: SiteId
    targets: tuple[Expression, ...]
    value: Expression
    annotation: Expression | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    id: SiteId
    target: Expression
    annotation: Expression


@dataclass(frozen=True, slots=True)
class AugmentedAssign:
    """`target operator= value`, the operator named as in `Binary`."""

    id: SiteId
    target: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression as a statement: its result is dropped."""

    id: SiteId
    value: Expression


@dataclass(frozen=True, slots=True)
class Return:
    id: SiteId
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Raise:
    """`raise value from cause`."""

    id: SiteId
    value: Expression | None
    cause: Expression | None = None


@dataclass(frozen=True, slots=True)
class Assert:
    id: SiteId
    test: Expression
    message: Expression | None


@dataclass(frozen=True, slots=True)
class Delete:
    id: SiteId
    targets: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """`break` or `continue`."""

    id: SiteId
    keyword: str


@dataclass(frozen=True, slots=True)
class Import:
    """`import module as alias` (name empty) or `from module import name as alias`.

    Relative imports keep their leading dots. `from module import *` has the name `*`.
    """

    id: SiteId
    module: str
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class Outer:
    """`global` or `nonlocal`."""

    id: SiteId
    names: tuple[str, ...]
    is_global: bool


@dataclass(frozen=True, slots=True)
class If:
    id: SiteId
    test: Expression
    then: Block
    orelse: Block


@dataclass(frozen=True, slots=True)
class For:
    id: SiteId
    target: Expression
    iterable: Expression
    body: Block
    orelse: Block


@dataclass(frozen=True, slots=True)
class While:
    id: SiteId
    test: Expression
    body: Block
    orelse: Block


@dataclass(frozen=True, slots=True)
class Handler:
    type: Expression | None
    name: str
    body: Block


@dataclass(frozen=True, slots=True)
class Try:
    id: SiteId
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@dataclass(frozen=True, slots=True)
class With:
    id: SiteId
    items: tuple[tuple[Expression, Expression | None], ...]
    """Each context manager and its `as` target."""
    body: Block


@dataclass(frozen=True, slots=True)
class Case:
    """One `case`: the names its pattern binds, its guard, its body."""

    names: tuple[str, ...]
    guard: Expression | None
    body: Block
    irrefutable: bool = False
    """Whether it takes whatever comes to it: `case _:`."""


@dataclass(frozen=True, slots=True)
class Match:
    id: SiteId
    subject: Expression
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Function:
    id: SiteId
    """Stands for the name in `def name`."""
    name: str
    parameters: tuple[Parameter, ...]
    decorators: tuple[Expression, ...]
    returns: Expression | None
    body: Block
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class Class:
    id: SiteId
    """Stands for the name in `class name`."""
    name: str
    bases: tuple[Expression, ...]
    keywords: tuple[Argument, ...]
    decorators: tuple[Expression, ...]
    body: Block


Statement: TypeAlias = (
    Assign
    | Annotation
    | AugmentedAssign
    | Evaluate
    | Return
    | Raise
    | Assert
    | Delete
    | Leave
    | Import
    | Outer
    | If
    | For
    | While
    | Try
    | With
    | Match
    | Function
    | Class
)
Block: TypeAlias = tuple[Statement, ...]
