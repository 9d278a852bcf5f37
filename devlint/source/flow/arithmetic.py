"""What Python's operators do: on tensors by the operators table, on lists by joining them."""

from __future__ import annotations

from dataclasses import replace

from devlint.model import SiteId
from devlint.operators import find
from devlint.source.flow import operations
from devlint.source.flow.frame import Frame, Passed
from devlint.source.flow.lattice import join, join_all
from devlint.source.flow.values import SCALAR, TOP, Alternatives, Container, Literal, Scalar, Tensor, Value


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
