"""The sizes of tensors as far as the source shows them, and their sizes in bytes."""

from __future__ import annotations

from math import prod

from devlint.model import Confidence
from devlint.operators import Dimensions
from devlint.source import ir
from devlint.source.machine.domain.tensors import is_empty
from devlint.source.machine.domain.values import (
    INT,
    Array,
    External,
    Known,
    Reference,
    Scalar,
    Shape,
    Tensor,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound

ITEM_BYTES = 8
"""The bytes of a number; only complex dtypes have more."""
ITEMSIZES = {
    **dict.fromkeys(("bool", "uint8", "int8"), 1),
    **dict.fromkeys(("float16", "half", "bfloat16", "int16", "short"), 2),
    **dict.fromkeys(("float32", "float", "int32", "int"), 4),
    **dict.fromkeys(("float64", "double", "int64", "long"), 8),
}
"""The bytes of torch's dtypes, and of the methods that convert to them."""
_AMBIGUOUS = 2
_FLOATING = {"float16": 2, "half": 2, "bfloat16": 2, "float32": 4, "float": 4, "float64": 8, "double": 8}
"""The bytes of the dtypes that parameters may have."""
CONVERSIONS = frozenset({"half", "bfloat16", "float", "double"})
"""Methods that return a tensor of such a dtype."""
_FLOATS = frozenset({"torch.rand", "torch.randn", "torch.zeros", "torch.ones", "torch.empty", "torch.eye",
                     "torch.linspace", "torch.Tensor", "torch.FloatTensor"})  # fmt: skip
"""Factories that create float32 tensors, unless the default dtype differs."""
_SAME_SHAPE = frozenset(
    {"clone", "contiguous", "detach", "flip", "fliplr", "flipud", "pin_memory", "requires_grad_", "roll",
     "tril", "triu", *ITEMSIZES}
)  # fmt: skip
VIEWS_OF_ALL = frozenset({"view", "reshape", "unsqueeze"})
"""Methods that return all elements in another shape."""
_SIZES_OF_VIEW = ("size", "shape")
_COUNTED = {
    "torch.arange": "end",
    "torch.linspace": "steps",
    "torch.logspace": "steps",
    "torch.randperm": "n",
    **dict.fromkeys(
        (f"torch.{name}_window" for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")),
        "window_length",
    ),
}
"""Factories of one row, and the argument that counts its elements."""
_PAIRS = frozenset({"torch.tril_indices", "torch.triu_indices"})
"""Factories of a row of row numbers and a row of column numbers."""


def size_at(tensor: Tensor, at: Value) -> Value:
    """The size of a dimension, of which only whether it has no, one or more elements is kept:
    `cache.size(0) > 0`. It is no number: a loop over an example's one element stands for one over several."""
    shape = tensor.shape or ()
    match at:
        case Known(value=int(place)) if -len(shape) <= place < len(shape):
            size = shape[place]
            if not size:
                return INT if size is None else Known(0)
            return Scalar("int", least=1, most=1 if size == 1 else None)
        case _:
            return INT


def count_of(tensor: Tensor) -> Value:
    """The number of elements, of which only that there are none is kept."""
    return Known(0) if is_empty(tensor) else INT


def shape_made(bound: Bound) -> Shape | None:
    """The sizes of a factory's result; None if the number of dimensions is not known."""
    data = bound.passed("data") or bound.passed("obj")
    if data is not None:
        return shape_written(data)
    name = bound.operator.name
    if name in _PAIRS:
        return (2, None)
    if name in _COUNTED:
        count = bound.value(_COUNTED[name])
        counts_all = name != "torch.arange" or not (bound.has_value("start") or bound.has_value("step"))
        return (None,) if count is None or not counts_all else _sizes([count])
    return size_arguments(bound, "size")


def size_arguments(bound: Bound, *names: str) -> Shape | None:
    """The sizes that are passed to an operator, one by one or in a sequence; None if their number is not
    known."""
    passed = [passed for argument, passed in bound.arguments if argument.name in names]
    if any(each.stars for each in passed):
        return None
    values = [each.value for each in passed]
    if len(values) == 1 and isinstance(values[0], Reference) and isinstance(values[0].target, Container):
        return _sizes(values[0].target.items) if values[0].target.exact else None
    counted = len(values) > 1 or all(isinstance(each, (Known, Scalar)) for each in values)
    return _sizes(values) if values and counted else None


def _sizes(values: list[Value]) -> Shape:
    return tuple(
        each.value if isinstance(each, Known) and isinstance(each.value, int) else None for each in values
    )


def shape_constructed(bound: Bound) -> Shape | None:
    """The sizes of a legacy constructor's result, from data or sizes: `torch.FloatTensor(2, 3)`."""
    first = bound.arguments[0][1] if bound.arguments else None
    if first is None:
        return None if bound.has_unknown_keywords else (0,)
    if not isinstance(first.value, (Known, Scalar)):
        return _shape_of_data(first.value) if _is_constant(first.value) else shape_written(first)
    return _sizes([passed.value for _, passed in bound.arguments])


def _is_constant(data: Value) -> bool:
    """Whether data is a number, or a list or tuple of such, that is written in the program."""
    if isinstance(data, Reference) and isinstance(data.target, Container) and data.target.exact:
        return all(map(_is_constant, data.target.items))
    return isinstance(data, Known)


def shape_written(data: Passed) -> Shape | None:
    """The sizes of literal data or of an array of one dimension; None if each call may have other data."""
    if isinstance(data.value, Array) and data.value.dimensions == 1:
        return (None,)
    if isinstance(data.value, (Known, Scalar)) or isinstance(data.expression, ir.Sequence):
        return _shape_of_data(data.value)
    return None


def _shape_of_data(data: Value) -> Shape | None:
    if isinstance(data, (Known, Scalar)):
        return ()
    if isinstance(data, Reference) and isinstance(data.target, Container) and data.target.exact:
        rows = {_shape_of_data(each) for each in data.target.items}
        if len(rows) > 1:
            return None
        row = rows.pop() if rows else ()
        return None if row is None else (data.target.length, *row)
    return None


def as_one_element(value: Value) -> Value:
    """What an assignment to an index writes: a tensor of one element without dimensions, because leading
    dimensions of size 1 are stripped (slicePrefix1sSize in torch/csrc/autograd/python_variable_indexing.cpp).
    """
    if isinstance(value, Tensor) and value.shape and all(size == 1 for size in value.shape):
        return changed(value, rank0=True, shape=())
    return value


def shape_kept(bound: Bound, operand: Tensor) -> Shape | None:
    """The sizes of the result of an operator that keeps the sizes, or the number of elements, of its only
    tensor."""
    last = bound.operator.name.rpartition(".")[2]
    if last == "unsqueeze":
        return _unsqueezed(bound, operand.shape)
    if last in VIEWS_OF_ALL:
        return _viewed(bound, operand.shape)
    keeps = last in _SAME_SHAPE or bound.operator.result.rank is Dimensions.OPERANDS
    return operand.shape if keeps else None


def _unsqueezed(bound: Bound, shape: Shape | None) -> Shape | None:
    if shape is None:
        return None
    told = bound.value("dim")
    if not isinstance(told, Known) or not isinstance(told.value, int):
        return (None,) * (len(shape) + 1)
    at = told.value % (len(shape) + 1)
    return (*shape[:at], 1, *shape[at:])


def _viewed(bound: Bound, shape: Shape | None) -> Shape | None:
    """The sizes of a view of all elements. A size of -1 follows from the others."""
    sizes = size_arguments(bound, *_SIZES_OF_VIEW)
    if sizes is None or all(each is None or each >= 0 for each in sizes):
        return sizes
    elements = _product(shape) if shape is not None else None
    others = _product(tuple(each for each in sizes if each is None or each >= 0))
    left = elements // others if elements is not None and others else None
    return tuple(left if each is not None and each < 0 else each for each in sizes)


def _product(shape: Shape) -> int | None:
    known = [each for each in shape if each is not None]
    return prod(known) if len(known) == len(shape) else None


def itemsize_made(bound: Bound) -> int | None:
    """The bytes of an element of a factory's result; None if they are not known."""
    dtype = bound.value("dtype")
    if isinstance(dtype, External):
        return ITEMSIZES.get(dtype.name.removeprefix("torch."))
    return 4 if dtype is None and bound.operator.name in _FLOATS else None


def itemsize_kept(bound: Bound, operand: Tensor) -> int | None:
    """The bytes of an element of an operator's result."""
    return ITEMSIZES.get(bound.operator.name.rpartition(".")[2], operand.itemsize)


def converted(tensor: Tensor, result: Tensor, dtype: str | None) -> Tensor:
    """A parameter as a tensor of another dtype: the parameter itself if it has that dtype.

    Several dtypes have the same number of bytes as the smallest one. A parameter of unknown dtype may have
    the requested one.
    """
    if tensor.role != "parameter" or (dtype is not None and dtype not in _FLOATING):
        return result
    if tensor.itemsize is None or dtype is None:
        return changed(result, confidence=Confidence.POSSIBLE)
    if tensor.itemsize != _FLOATING[dtype]:
        return result
    return tensor if tensor.itemsize > _AMBIGUOUS else changed(result, confidence=Confidence.POSSIBLE)


def bytes_of(tensor: Tensor) -> int | None:
    """An upper bound of a tensor's bytes; None if it is not known."""
    elements = None if tensor.shape is None else _product(tensor.shape)
    if elements is None:
        return None
    return elements * (ITEM_BYTES if tensor.itemsize is None else tensor.itemsize)


def bytes_written(data: Passed) -> int | None:
    """The bytes of literal numbers; None if they are not known."""
    shape = shape_written(data)
    elements = None if shape is None else _product(shape)
    return None if elements is None else elements * ITEM_BYTES
