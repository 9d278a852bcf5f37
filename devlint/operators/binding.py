"""Binding: which argument of an operator a value of a call is given for."""

from __future__ import annotations

from devlint.operators.operator import ArgumentKind, Operator, OperatorArgument

UNNAMED = OperatorArgument("", ArgumentKind.OTHER)
"""Stands for the argument where none is known."""


def argument_for(operator: Operator | None, key: int | str) -> OperatorArgument:
    """The argument that is given at a position or by a keyword.

    Where the operator is unknown or declares no such argument, a keyword names one of kind `OTHER`.
    """
    if isinstance(key, int):
        return (operator.at(key) if operator is not None else None) or UNNAMED
    named = operator.named(key) if operator is not None else None
    return named or OperatorArgument(key, ArgumentKind.OTHER)
