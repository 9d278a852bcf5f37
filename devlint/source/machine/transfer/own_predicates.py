"""Functions of the project that test their arguments: what has to hold for each result.

`return isinstance(x, torch.Tensor)`, and `return "torch" if isinstance(x, torch.Tensor) else "numpy"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from devlint.source import ir
from devlint.source.machine.domain.values import Reference, Value
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import BoundMethod
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import once_a_node

Conditions: TypeAlias = tuple[tuple[ir.Expression, bool], ...]
"""Tests with their outcomes, all of which hold."""
_Way: TypeAlias = tuple[Conditions, ir.Expression]


def own_function(
    machine: Interpreter, expression: ir.Expression, frame: Frame
) -> tuple[Function | None, Value | None]:
    """The function of the project that a name or an attribute refers to, with its receiver."""
    named = isinstance(expression, ir.Name) or (
        isinstance(expression, ir.Attribute) and isinstance(expression.value, ir.Name)
    )
    match machine.evaluate(expression, frame) if named else None:
        case Reference(target=Function() as function):
            return function, None
        case Reference(target=BoundMethod(function=function, receiver=receiver)):
            return function, receiver
        case _:
            return None, None


def conditions(function: Function, result: object, *, equal: bool) -> Conditions:
    """What holds if a function that does nothing but test returns a result, or another one; nothing if that
    is not known."""
    ways = _ways(function.node)
    if isinstance(result, bool) and len(ways) == 1:
        before, returned = ways[0]
        return (*before, (returned, equal is result))
    fitting = [
        before
        for before, returned in ways
        if not isinstance(returned, ir.Constant) or (returned.value == result) is equal
    ]
    return fitting[0] if len(fitting) == 1 else ()


@once_a_node
def _ways(node: ir.FunctionDef | ir.Lambda) -> tuple[_Way, ...]:
    """The results of a function that does nothing but test, each with what leads to it; none for any other
    function."""
    body = node.body
    found = tuple(_of_block(body, ()) if isinstance(body, tuple) else _of_result(body, ()))
    return tuple(each for each in found if each is not None) if None not in found else ()


def _of_block(block: ir.Block, before: Conditions) -> Iterator[_Way | None]:
    """The results of a block; None for one that is reached by more than tests."""
    for at, statement in enumerate(block):
        match statement:
            case ir.Evaluate(value=ir.Constant()) | ir.Import():
                continue
            case ir.Return(value=returned) if returned is not None:
                yield from _of_result(returned, before)
            case ir.If(test=test, then=then, orelse=orelse):
                yield from _of_block(then, (*before, (test, True)))
                yield from _of_block((*orelse, *block[at + 1 :]), (*before, (test, False)))
            case ir.Raise():
                pass
            case _:
                yield None
        return
    yield None


def _of_result(returned: ir.Expression, before: Conditions) -> Iterator[_Way | None]:
    if isinstance(returned, ir.Conditional):
        yield from _of_result(returned.then, (*before, (returned.test, True)))
        yield from _of_result(returned.orelse, (*before, (returned.test, False)))
    else:
        yield before, returned
