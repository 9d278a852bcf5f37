"""Tests of a device as a string and as a `torch.device`.

`device == "cpu" or device.type == "cpu"` works for both, and so does
`device == "cpu" or device == torch.device("cpu")`.
"""

from __future__ import annotations

from devlint.source import ir
from devlint.source.walk import Node, text, walk


def is_one_of_several_forms(
    comparison: ir.Compare, name: str, device: ir.Expression, statement: ir.Statement | None
) -> bool:
    """Whether a statement tests a device in its other form too, if its comparison with a string is wrong.

    `==` is then false, so that `or` evaluates its next operand; `and` with `!=` is the same, negated.
    """
    joined = {"eq": "or", "ne": "and"}.get(name)
    for each in walk(() if statement is None else _tested(statement)):
        if isinstance(each, ir.Boolean) and each.operator == joined:
            for one, other in ((each.left, each.right), (each.right, each.left)):
                if any(node is comparison for node in walk((one,))) and (
                    _tells_form(other, text(device)) or _compares_form(other, comparison)
                ):
                    return True
    return False


def _tested(statement: ir.Statement) -> tuple[Node, ...]:
    """The expressions that a statement evaluates itself, without its blocks."""
    match statement:
        case ir.If(test=test) | ir.While(test=test):
            return (test,)
        case ir.For() | ir.With() | ir.Try() | ir.Match() | ir.FunctionDef() | ir.ClassDef():
            return ()
        case _:
            return (statement,)


def _tells_form(test: ir.Expression, device: str) -> bool:
    """Whether a test reads a device's class, or its type, which only a `torch.device` has."""
    for node in walk((test,)):
        match node:
            case ir.CallExpression(function=ir.Name(name="isinstance"), arguments=(first, *_)) if (
                text(first.value) == device
            ):
                return True
            case ir.Attribute(value=owner, name="type") if text(owner) == device:
                return True
    return False


def _compares_form(test: ir.Expression, comparison: ir.Compare) -> bool:
    """Whether a test compares the same device once with a literal and once with another expression."""
    if not isinstance(test, ir.Compare) or len(test.rest) != 1 or len(comparison.rest) != 1:
        return False
    (_, one), (_, other) = test.rest[0], comparison.rest[0]
    same = text(test.left) == text(comparison.left)
    return same and isinstance(one, ir.Constant) is not isinstance(other, ir.Constant)
