"""Branches that are taken when a list is full, and that empty it: in some turns only, as its length tells.

`kept.append(loss)`, `if len(kept) == 100: report(kept); kept.clear()`.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.source import ir
from devlint.source.machine.domain.values import Known
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.memoized import innermost_loop
from devlint.source.machine.transfer.numbers import MIRRORED
from devlint.source.walk import Node, path, text, walk

_FIRST = {"eq": 2, "ge": 2, "gt": 1}
"""Comparisons that hold when a list has grown, each with the least bound that takes more than one element."""
_GROWTH = frozenset({"append", "appendleft"})
_OTHER_GROWTH = frozenset({"extend", "extendleft", "insert"})
_EMPTY = frozenset({"deque", "list"})


def is_taken_when_full(
    machine: Interpreter, test: ir.Expression, block: ir.Block, frame: Frame, *, taken: bool
) -> bool:
    """Whether a branch is taken when a list has a certain length, and empties it: each turn of the loop
    around it, or each call of its function, adds one element at most."""
    if not taken or not isinstance(test, (ir.Boolean, ir.Compare)):
        return False
    return any(
        any(_empties(statement, held) for statement in block)
        and not _is_less(machine, bound, least, frame)
        and _grows_by_one(test, held, frame)
        for held, bound, least in _lengths(test)
    )


def _lengths(test: ir.Expression) -> Iterator[tuple[ir.Expression, ir.Expression, int]]:
    """The lists that a test requires to be long, with the bound of each, and the least bound that makes a
    difference."""
    match test:
        case ir.Boolean(operator="and", left=left, right=right):
            yield from (*_lengths(left), *_lengths(right))
        case ir.Compare(left=left, rest=((name, right),)):
            for counted, relation, bound in ((left, name, right), (right, MIRRORED.get(name, name), left)):
                held = _counted(counted)
                if held is not None and relation in _FIRST:
                    yield held, bound, _FIRST[relation]
        case _:
            pass


def _counted(expression: ir.Expression) -> ir.Expression | None:
    """The list, a name or an attribute, whose length an expression reads."""
    match expression:
        case ir.CallExpression(function=ir.Name(name="len"), arguments=(ir.Argument(value=held),)):
            return held if path(held) else None
        case _:
            return None


def _is_less(machine: Interpreter, bound: ir.Expression, least: int, frame: Frame) -> bool:
    """Whether a bound is known to be less than a number, so that each element reaches it."""
    if not (path(bound) or isinstance(bound, ir.Constant)):
        return False
    held = machine.evaluate(bound, frame)  # evaluating names has no effect
    return isinstance(held, Known) and isinstance(held.value, (int, float)) and held.value < least


def _empties(statement: ir.Statement, held: ir.Expression) -> bool:
    """Whether a statement empties a list, or binds its name to an empty one."""
    match statement:
        case ir.Evaluate(value=ir.CallExpression(function=ir.Attribute(value=owner, name="clear"))):
            return text(owner) == text(held)
        case ir.Assign(targets=targets, value=value) if _is_empty(value):
            return any(text(each) == text(held) for each in targets)
        case _:
            return False


def _is_empty(value: ir.Expression) -> bool:
    match value:
        case ir.Sequence(elements=()):
            return True
        case ir.CallExpression(function=ir.Name(name=name) | ir.Attribute(name=name), arguments=arguments):
            return name in _EMPTY and all(each.keyword for each in arguments)
        case _:
            return False


def _grows_by_one(test: ir.Expression, held: ir.Expression, frame: Frame) -> bool:
    """Whether the innermost loop around a test, or else its function, adds one element to a list before each
    test, and does nothing else to make it longer."""
    code = frame.file.body if frame.function is None else frame.function.node.body
    loop = innermost_loop(code, test) if isinstance(code, tuple) else None
    body = code if loop is None else loop.body
    return isinstance(body, tuple) and _growths(body, text(held)) == 1


def _growths(body: ir.Block, held: str) -> int:
    """How many elements a block adds to a list; more than one if their number is not known."""
    repeated = {id(each) for loop in walk(body) if isinstance(loop, _LOOPS) for each in walk((loop,))}
    several = 2
    return sum(
        1 if name in _GROWTH and id(each) not in repeated else several
        for each in walk(body)
        for name in _growing(each, held)
    )


_LOOPS = (ir.For, ir.While, ir.Comprehension)


def _growing(node: Node, held: str) -> Iterator[str]:
    """The name of the method, or of the operator, by which a node makes a list longer."""
    match node:
        case ir.CallExpression(function=ir.Attribute(value=owner, name=name)) if text(owner) == held:
            if name in _GROWTH or name in _OTHER_GROWTH:
                yield name
        case ir.AugmentedAssign(target=target, operator=operator) if text(target) == held:
            yield operator
        case _:
            pass
