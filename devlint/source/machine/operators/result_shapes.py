"""The sizes of an operator's results, as far as its tensors and arguments show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from devlint.operators import ArgumentKind, DeviceRule, Dimensions
from devlint.source.machine.domain.tensors import is_empty
from devlint.source.machine.domain.values import TRUE, Known, Reference, Scalar, Shape, Tensor, Value
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.operands import TensorArgument
from devlint.source.machine.operators.shapes import VIEWS_OF_ALL, shape_kept

KEEP_NUMBER = frozenset(
    {"chunk", "cummax", "cummin", "gradient", "hsplit", "sort", "split", "split_with_sizes", "tensor_split",
     "topk", "unsafe_chunk", "unsafe_split", "vsplit"}
)  # fmt: skip
"""Operators of several results, each of which has as many dimensions as the operand."""
_REARRANGE = VIEWS_OF_ALL | {"flatten", "movedim", "permute", "squeeze", "swapaxes", "transpose"}
"""Operators that return all elements in another form."""
PRODUCTS = frozenset({"matmul", "mm", "bmm", "mv", "__matmul__", "__rmatmul__"})
"""Products of matrices and vectors."""


def shape_of_result(bound: Bound, tensors: Sequence[TensorArgument]) -> Shape | None:
    """The sizes of the result; None if the number of dimensions is not known."""
    if not tensors:
        return None
    shapes = [each.tensor.shape for each in tensors]
    if bound.operator.result.rank is Dimensions.ZERO_WITHOUT_DIM:
        return _reduced(bound, shapes[0])
    last = bound.operator.name.rpartition(".")[2]
    if last in _REARRANGE and is_empty(tensors[0].tensor):
        return shapes[0]  # it has no elements in any other form either
    rule = _RULES.get(last)
    if rule is not None:
        return rule(bound, shapes)
    if len(tensors) == 1:
        return shape_kept(bound, tensors[0].tensor)
    elementwise = bound.operator.rule is DeviceRule.SAME_OR_0_DIM_HOST
    return _broadcast(bound) if elementwise and bound.operator.result.rank is Dimensions.OPERANDS else None


def shape_of_part(bound: Bound, tensors: Sequence[TensorArgument]) -> Shape | None:
    """The sizes of each of several results."""
    shape = tensors[0].tensor.shape if tensors else None
    if shape is None:
        return None
    last = bound.operator.name.rpartition(".")[2]
    if last == "unbind" and not bound.has_value("dim"):
        return shape[1:]
    return (None,) * len(shape) if last in KEEP_NUMBER else None


def dimensions(bound: Bound) -> list[int] | None:
    """The dimensions on which an operator works; None if one is not known."""
    dim = bound.value("dim") if bound.passed("dim") is not None else bound.value("axis")
    values = [dim]
    if isinstance(dim, Reference) and isinstance(dim.target, Container):
        if not dim.target.exact:
            return None
        values = [*dim.target.items]
    known = [each.value for each in values if isinstance(each, Known) and isinstance(each.value, int)]
    return known if known and len(known) == len(values) else None


def _reduced(bound: Bound, shape: Shape | None) -> Shape | None:
    """The sizes after a reduction."""
    if not bound.has_value("dim") and not bound.has_value("axis"):
        return None
    told = dimensions(bound)
    if shape is None or told is None or any(not -len(shape) <= each < len(shape) for each in told):
        return None
    gone = {each % len(shape) for each in told}
    keeps = bound.value("keepdim")
    if keeps == TRUE:
        return tuple(1 if at in gone else size for at, size in enumerate(shape))
    if keeps is not None and not isinstance(keeps, Known):
        return None
    return tuple(size for at, size in enumerate(shape) if at not in gone)


def _squeezed(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    shape = shapes[0]
    if shape is None:
        return None
    if not bound.has_value("dim"):
        return None if None in shape else tuple(size for size in shape if size != 1)
    told = dimensions(bound)
    if told is None or any(not -len(shape) <= each < len(shape) for each in told):
        return None
    asked = {each % len(shape) for each in told}
    if any(shape[each] is None for each in asked):
        return None
    return tuple(size for at, size in enumerate(shape) if at not in asked or size != 1)


def _transposed(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    shape = shapes[0]
    if shape is None or len(shape) < 2:
        return shape
    order = list(range(len(shape)))
    last = bound.operator.name.rpartition(".")[2]
    if last in ("t", "T", "H"):
        order.reverse()
    elif last in ("mT", "mH"):
        order[-2:] = reversed(order[-2:])
    else:
        ends = [bound.value(name) for name in ("dim0", "dim1")]
        told = [each.value for each in ends if isinstance(each, Known) and isinstance(each.value, int)]
        if len(told) < 2 or any(not -len(shape) <= each < len(shape) for each in told):
            return (None,) * len(shape)
        one, other = (each % len(shape) for each in told)
        order[one], order[other] = other, one
    return tuple(shape[at] for at in order)


def _same_number(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    """Unknown sizes, as many as the first operand has."""
    return None if shapes[0] is None else (None,) * len(shapes[0])


def _joined(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    """Unknown sizes, as many as the operands have; `torch.empty(0)` is ignored."""
    known = [shape for shape in shapes if shape is not None]
    return (None,) * max(map(len, known)) if len(known) == len(shapes) else None


def _diagonal(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    return None if shapes[0] is None else (None,) * max(3 - len(shapes[0]), 1)


def _stacked(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    """The sizes of the operands with one more dimension."""
    return None if shapes[0] is None else (None,) * (len(shapes[0]) + 1)


def _multiplied(bound: Bound, shapes: Sequence[Shape | None]) -> Shape | None:
    """A product of matrices or vectors (`torch.matmul`)."""
    if len(shapes) < 2 or shapes[0] is None or shapes[1] is None:
        return None
    left, right = shapes[:2]
    if bound.operator.name.endswith("__rmatmul__"):
        left, right = right, left
    if not left or not right:
        return None
    rows = left[-2:-1]
    columns = right[-1:] if len(right) > 1 else ()
    batches = _widest(left[:-2], right[:-2])
    return None if batches is None else (*batches, *rows, *columns)


def _broadcast(bound: Bound) -> Shape | None:
    """The sizes to which the operands of an element-wise operation are broadcast."""
    result: Shape | None = ()
    for argument, passed in bound.arguments:
        if argument.kind is not ArgumentKind.TENSOR:
            continue
        shape = _shape_of(passed.value)
        result = None if shape is None or result is None else _widest(result, shape)
    return result


def _shape_of(held: Value) -> Shape | None:
    if isinstance(held, (Known, Scalar)):
        return ()
    return held.shape if isinstance(held, Tensor) else None


def _widest(one: Shape, other: Shape) -> Shape | None:
    """Two shapes broadcast to each other; None if they do not match."""
    sizes: list[int | None] = []
    for left, right in zip_longest(reversed(one), reversed(other), fillvalue=1):
        if left == 1 or right in (1, left):
            sizes.append(right if left == 1 else left)
        elif left is None or right is None:
            sizes.append(left or right)
        else:
            return None
    return tuple(reversed(sizes))


_RULES: dict[str, Callable[[Bound, Sequence[Shape | None]], Shape | None]] = {
    **dict.fromkeys(("squeeze", "squeeze_"), _squeezed),
    **dict.fromkeys(("t", "T", "H", "mT", "mH"), _transposed),
    **dict.fromkeys(("transpose", "transpose_", "swapaxes", "swapdims"), _transposed),
    **dict.fromkeys(("cat", "concat", "concatenate"), _joined),
    "permute": _same_number,
    "diag": _diagonal,
    "stack": _stacked,
    **dict.fromkeys(PRODUCTS, _multiplied),
}
"""The functions, by the last part of an operator's name."""
