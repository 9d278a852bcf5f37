"""Results of functions for empty arguments: placeholders, which hardly meet the results of other calls."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import UNKNOWN, Confidence
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import Reference, Tensor, Value, alternatives, changed
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.walk import once_a_node, text, walk

_HOLD_WHERE_EMPTY = frozenset({("eq", 0), ("le", 0), ("lt", 1)})
_FAIL_WHERE_EMPTY = frozenset({("ne", 0), ("gt", 0), ("ge", 1)})
"""Comparisons of a number of elements."""
_COUNTS = frozenset({"numel", "nelement", "size", "__len__"})


def is_where_empty(test: ir.Expression, frame: Frame, *, taken: bool) -> bool:
    """Whether a test has an outcome exactly if a collection or a tensor has no elements."""
    match test:
        case ir.Unary(operator="not", operand=inner):
            return is_where_empty(inner, frame, taken=not taken)
        case ir.Boolean(operator=name, left=left, right=right):
            parts = [is_where_empty(each, frame, taken=taken) for each in (left, right)]
            return any(parts) and ((name == "and") is taken or all(parts) or _asks_for_none(left))
        case ir.Compare(left=counted, rest=((name, ir.Constant(value=int(bound))),)):
            wanted = _HOLD_WHERE_EMPTY if taken else _FAIL_WHERE_EMPTY
            return (name, bound) in wanted and _is_count(counted)
        case ir.Compare(left=shape, rest=((("eq" | "ne") as name, sizes),)):
            return (name == "eq") is taken and _is_shape(shape) and _names_no_elements(sizes)
        case ir.Name() | ir.Attribute():
            return not taken and _is_collection(test, frame)
        case _:
            return not taken and _is_count(test)


def _asks_for_none(test: ir.Expression) -> bool:
    """Whether a test is `x is None` or `x is not None`, which often precedes a test of the length of `x`."""
    match test:
        case ir.Compare(rest=((name, ir.Constant(value=None)),)):
            return name in ("is", "is_not")
        case _:
            return False


@once_a_node
def counted_by(test: ir.Expression) -> ir.Expression | None:
    """The value whose number of elements, or of rows, a test reads."""
    match test:
        case ir.Compare(left=counted, rest=(_,)):
            return _counted(counted)
        case _:
            return _counted(test)


def _is_count(expression: ir.Expression) -> bool:
    return _counted(expression) is not None


def _counted(expression: ir.Expression) -> ir.Expression | None:
    match expression:
        case ir.CallExpression(function=ir.Name(name="len"), arguments=(ir.Argument(value=held), *_)):
            return held
        case ir.CallExpression(function=ir.Attribute(value=held, name=name)) if name in _COUNTS:
            return held
        case ir.Attribute(value=held, name="shape"):
            return held
        case ir.Subscript(value=ir.Attribute(value=held, name="shape")):
            return held
        case _:
            return None


def _is_shape(expression: ir.Expression) -> bool:
    match expression:
        case ir.Attribute(name="shape"):
            return True
        case ir.CallExpression(function=ir.Attribute(name="size"), arguments=()):
            return True
        case _:
            return False


def _names_no_elements(sizes: ir.Expression) -> bool:
    """Whether a value is the shape of a tensor without elements: `torch.Size([0])`, `(0,)`."""
    match sizes:
        case ir.CallExpression(function=ir.Attribute(name="Size"), arguments=(ir.Argument(value=held),)):
            return _names_no_elements(held)
        case ir.Sequence(elements=(_, *_) as elements):
            return all(isinstance(each, ir.Constant) and each.value == 0 for each in elements)
        case _:
            return False


def _is_collection(held: ir.Expression, frame: Frame) -> bool:
    """Whether the tested value is a container, or the function iterates over it, so that it is no flag."""
    known = frame.scope.cells.get(held.name) if isinstance(held, ir.Name) else None
    if isinstance(known, Reference) and isinstance(known.target, Container):
        return True
    return frame.function is not None and text(held) in _walked_over(frame.function.node)


@once_a_node
def _walked_over(node: ir.FunctionDef | ir.Lambda) -> frozenset[str]:
    """The texts of the values over which the loops of a function iterate."""
    body = node.body if isinstance(node.body, tuple) else ()
    return frozenset(text(each.iterable) for each in walk(body) if isinstance(each, (ir.For, ir.CompFor)))


def result_of(machine: Machine, frame: Frame) -> Value:
    """The result of a function. If one of its returns is on a path on which something is empty, and is on
    another device than all others, that device is only possible. So is that of a part, if it returns several
    values."""
    plain = join_all(frame.returns) if frame.returns else None
    if plain is None or not frame.stand_ins:
        return join_all([*frame.returns, *frame.stand_ins])
    others = alternatives(plain)
    return join_all(
        [plain, *(_doubted(machine, one, others) for each in frame.stand_ins for one in alternatives(each))]
    )


def _doubted(machine: Machine, held: Value, others: Iterable[Value]) -> Value:
    if isinstance(held, Tensor):
        devices = {each.device for each in others if isinstance(each, Tensor)}
        is_usual = held.device in devices or held.device == UNKNOWN
        return held if is_usual else changed(held, confidence=Confidence.POSSIBLE)
    parts = _parts(held)
    if not parts:
        return held
    usual = [found for each in others if len(found := _parts(each)) == len(parts)]
    doubted = [
        _doubted(machine, part, [one for each in usual for one in alternatives(each[at])])
        for at, part in enumerate(parts)
    ]
    same = all(one is other for one, other in zip(doubted, parts, strict=True))
    return held if same else machine.adopt(Container("tuple", doubted))


def _parts(held: Value) -> list[Value]:
    """The values that a function returns, if it returns several."""
    target = held.target if isinstance(held, Reference) else None
    return target.items if isinstance(target, Container) and target.kind == "tuple" and target.exact else []
