"""Binding the values of a call to the arguments of an operator."""

from __future__ import annotations

from devlint.operators.operator import ArgumentKind, Operator, OperatorArgument

UNNAMED = OperatorArgument("", ArgumentKind.OTHER)
"""Stands for an unknown argument."""


def argument_for(operator: Operator | None, key: int | str) -> OperatorArgument:
    """The argument of a position or keyword.

    If the operator is unknown or does not declare a keyword, the argument has that name and the kind `OTHER`.
    """
    if isinstance(key, int):
        return (operator.at(key) if operator is not None else None) or UNNAMED
    named = operator.named(key) if operator is not None else None
    return named or OperatorArgument(key, ArgumentKind.OTHER)
