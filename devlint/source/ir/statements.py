"""Statements of the intermediate representation, and their parts."""

from __future__ import annotations

from typing import TypeAlias

from devlint.model import SiteId
from devlint.model.value import value
from devlint.source.ir.expressions import Argument, Expression, Parameter
from devlint.source.ir.patterns import Pattern


@value
class Assign:
    """`a = b = value`. An annotated name without a value is an `Annotation`."""

    id: SiteId
    targets: tuple[Expression, ...]
    value: Expression
    annotation: Expression | None = None


@value
class Annotation:
    id: SiteId
    target: Expression
    annotation: Expression


@value
class AugmentedAssign:
    """`target operator= value`; operators are named as in `Binary`."""

    id: SiteId
    target: Expression
    operator: str
    value: Expression


@value
class Evaluate:
    """An expression as a statement, whose result is dropped."""

    id: SiteId
    value: Expression


@value
class Return:
    id: SiteId
    value: Expression | None


@value
class Raise:
    """`raise value from cause`."""

    id: SiteId
    value: Expression | None
    cause: Expression | None = None


@value
class Assert:
    id: SiteId
    test: Expression
    message: Expression | None


@value
class Delete:
    id: SiteId
    targets: tuple[Expression, ...]


@value
class Leave:
    """`break` or `continue`."""

    id: SiteId
    keyword: str


@value
class Import:
    """`import module as alias` (name empty) or `from module import name as alias`.

    Relative imports keep their leading dots. `from module import *` has the name `*`.
    """

    id: SiteId
    module: str
    name: str
    alias: str


@value
class Outer:
    """`global` or `nonlocal`."""

    id: SiteId
    names: tuple[str, ...]
    is_global: bool


@value
class If:
    id: SiteId
    test: Expression
    then: Block
    orelse: Block


@value
class For:
    id: SiteId
    target: Expression
    iterable: Expression
    body: Block
    orelse: Block


@value
class While:
    id: SiteId
    test: Expression
    body: Block
    orelse: Block


@value
class Handler:
    type: Expression | None
    name: str
    body: Block


@value
class Try:
    id: SiteId
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@value
class With:
    id: SiteId
    items: tuple[tuple[Expression, Expression | None], ...]
    """Each context manager and its `as` target."""
    body: Block


@value
class Case:
    """One `case`: its pattern, the names that the pattern binds, its guard, its body."""

    pattern: Pattern
    names: tuple[str, ...]
    guard: Expression | None
    body: Block


@value
class Match:
    id: SiteId
    subject: Expression
    cases: tuple[Case, ...]


@value
class FunctionDef:
    id: SiteId
    """The site is that of the name in `def name`."""
    name: str
    parameters: tuple[Parameter, ...]
    decorators: tuple[Expression, ...]
    returns: Expression | None
    body: Block


@value
class ClassDef:
    id: SiteId
    """The site is that of the name in `class name`."""
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
    | FunctionDef
    | ClassDef
)
Block: TypeAlias = tuple[Statement, ...]
