"""What Python's operators do: on tensors by the operators table, on lists by joining them."""

from __future__ import annotations

from dataclasses import replace

from devlint.model import Cause, SiteId, Symbol, SymbolKind
from devlint.operators import find
from devlint.source import ir
from devlint.source.flow.calls import builtin_calls, settings
from devlint.source.flow.operators import operations, waits
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import join, join_all
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Availability,
    Container,
    DeviceValue,
    Literal,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.flow.syntax import branches
from devlint.source.walk import text


def binary(frame: Frame, node: ir.Binary, left: Value, right: Value) -> Value:
    """`left + right` and its like."""
    settings.note_elapsed(frame, node, left, right)
    if isinstance(left, Container) or isinstance(right, Container):
        return concatenated(left, right) if node.operator == "add" else repeated(node.operator, left, right)
    if isinstance(left, Array) or isinstance(right, Array):
        return left if isinstance(left, Array) else right
    if node.operator == "mod" and isinstance(left, Literal) and isinstance(left.value, str):
        for value in right.items or () if isinstance(right, Container) else ((0, right),):
            builtin_calls.note_formatting(frame, Passed(value[1], node.right))
        return SCALAR
    return combine(frame, node.id, node.operator, Passed(left, node.left), Passed(right, node.right))


def unary(frame: Frame, node: ir.Unary, value: Value) -> Value:
    """`-value`, `not value` and their like."""
    if node.operator == "not":
        branches.note_truth(frame, node.operand, value)
        return replace(value, negated=not value.negated) if isinstance(value, Availability) else SCALAR
    if isinstance(value, Tensor | Alternatives):
        operator = find(f"torch.Tensor.__{node.operator}__")
        if operator is not None:
            return operations.apply(frame, node.id, operator, [Passed(value, node.operand)])
    if isinstance(value, Literal) and isinstance(value.value, int | float) and node.operator == "neg":
        return Literal(-value.value)
    return SCALAR if isinstance(value, Literal | Scalar) else TOP


def either(node: ir.Boolean, left: Value, right: Value) -> Value:
    """`left and right`, `left or right`."""
    if node.operator == "and":
        # Where the whole holds, each part holds.
        for part in (left, right):
            if isinstance(part, Availability) and not part.negated:
                return replace(part, exact=False)
    if node.operator == "or" and isinstance(left, Literal) and left.value is None:
        return right
    if node.operator == "or" and isinstance(left, DeviceValue) and isinstance(left.device, Symbol):
        # `device or self.device`: one of two, but one and the same from here on.
        return DeviceValue(Symbol(text(node), SymbolKind.DEVICE), is_object=left.is_object)
    return join(left, right)


def compared(frame: Frame, node: ir.Compare, left: Passed, operator: str, right: Passed) -> Value | None:
    """`left < right` and its like; None for what gives a plain truth."""
    settings.note_comparison(frame, node, left, operator, right)
    if operator in {"lt", "le", "gt", "ge", "eq", "ne"}:
        if isinstance(left.value, Availability) and operator in {"gt", "ge"}:
            return replace(left.value, exact=right.value == Literal(0 if operator == "gt" else 1))
        return combine(frame, node.id, operator, left, right)
    if operator in {"in", "not_in"} and isinstance(right.value, Tensor):
        contains = "torch.Tensor.__contains__"
        waits.note_wait(frame, node.id, contains, Cause.BRANCH, right.value, right, "self")
    return None


def for_the_rest(left: Value, operator: str, right: Passed) -> Passed:
    """What is on the left for the rest of a chain: it goes on only if this is what the left was."""
    if operator == "eq" and isinstance(left, DeviceValue) and isinstance(right.value, DeviceValue):
        known = replace(right.value, is_object=right.value.is_object or left.is_object)
        return replace(right, value=known)
    return right


def combine(frame: Frame, site: SiteId, operator: str, left: Passed, right: Passed) -> Value:
    """`left operator right`, for tensors by the operators table."""
    is_left = isinstance(left.value, Tensor | Alternatives)
    is_right = isinstance(right.value, Tensor | Alternatives)
    if not is_left and not is_right:
        both = isinstance(left.value, Literal | Scalar) and isinstance(right.value, Literal | Scalar)
        return SCALAR if both else TOP
    method = find(f"torch.Tensor.__{operator}__") if is_left else find(f"torch.Tensor.__r{operator}__")
    if method is None:
        method = find(f"torch.Tensor.__{operator}__")
    if method is None:
        return TOP
    if is_left:
        return operations.apply(frame, site, method, [left, right])
    return operations.apply(frame, site, method, [right, left])


def concatenated(left: Value, right: Value) -> Value:
    if not isinstance(left, Container) or not isinstance(right, Container):
        return TOP
    joined = join(replace(left, items=None), replace(right, items=None))
    return replace(joined, items=(*_loose(left), *_loose(right))) if isinstance(joined, Container) else TOP


def repeated(operator: str, left: Value, right: Value) -> Value:
    """`[0.0] * n`."""
    listed, times = (left, right) if isinstance(left, Container) else (right, left)
    by_tensor = isinstance(times, Alternatives) or (isinstance(times, Tensor) and times.evident)
    if operator != "mul" or not isinstance(listed, Container) or by_tensor:
        return TOP
    return replace(listed, element=join_all([item for _, item in _loose(listed)]), items=None)


def _loose(part: Container) -> tuple[tuple[object, Value], ...]:
    """The elements of a list that is joined to another, at positions that are not known."""
    if part.items is None:
        return ((None, part.element),)
    return tuple((None, item) for _, item in part.items)
