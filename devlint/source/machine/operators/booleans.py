"""Whether the results of operators are boolean, as far as the operators table and the arguments show it."""

from __future__ import annotations

from devlint.operators import ArgumentKind, ResultDevice
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.values import (
    NONE,
    Array,
    External,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.operands import TensorArgument

_BOOLEAN = ("torch.bool", "builtins.bool")


def is_boolean(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether a result is boolean; None if that is not known."""
    dtype = bound.value("dtype")
    if isinstance(dtype, External):
        return dtype.name in _BOOLEAN
    if bound.operator.result.boolean is not None:
        return bound.operator.result.boolean
    if dtype not in (None, NONE):
        return None
    return _stays_boolean(bound, tensors) or _holds_booleans(data_of(bound))


def data_of(bound: Bound) -> Value | None:
    """The data of a constructor, or the number of `torch.full`, whose dtype its result has."""
    if bound.operator.name == "torch.full":
        return bound.value("fill_value")
    return bound.value("data") or bound.value("ndarray")


def _holds_booleans(data: Value | None) -> bool | None:
    """Whether numbers or lists of numbers are truth values; None if that is not known."""
    match data:
        case Known() | Scalar():
            return scalar_type(data) == "bool"
        case Array(boolean=True) | Tensor(boolean=True):
            return True
        case Reference(target=Container(kind="list" | "tuple", cells=cells)) if cells:
            return all(map(_holds_booleans, cells.values())) or None
        case _:
            return None


_BITWISE = frozenset({"and", "or", "xor", "invert", "not"})
_JOINING = frozenset(
    {"block_diag", "cartesian_prod", "cat", "column_stack", "concat", "concatenate", "dstack", "fmax", "fmin",
     "hstack", "max", "maximum", "meshgrid", "min", "minimum", "row_stack", "stack", "vstack", "where"}
)  # fmt: skip
"""Operators whose results have the dtype to which those of the operands are promoted."""
_KEEPING = frozenset(
    {"amax", "amin", "as_strided", "broadcast_to", "clone", "constant_pad_nd", "detach", "diag", "diag_embed",
     "diagflat", "diagonal", "empty_like", "flatten", "flip", "fliplr", "flipud", "full_like", "gather",
     "index_copy", "index_fill", "index_put", "index_select", "masked_fill", "masked_scatter",
     "masked_select", "moveaxis", "movedim", "narrow", "new_empty", "new_full", "new_ones", "new_zeros",
     "ones_like", "pad", "permute", "ravel", "repeat_interleave", "reshape", "roll", "rot90", "scatter",
     "select", "squeeze", "swapaxes", "swapdims", "t", "take", "take_along_dim", "tile", "transpose", "tril",
     "triu", "unflatten", "unsqueeze", "zeros_like"}
)  # fmt: skip
"""Operators whose results have the dtype of the first operand, other than views of it."""


def _stays_boolean(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether a result is boolean because all operands are that decide its dtype."""
    last = bound.operator.name.rpartition(".")[2].strip("_")
    if promotes_dtypes(last) or _is_bitwise(last) or (last == "mul" and len(tensors) > 1):
        return _are_boolean(bound, tensors)
    if keeps_dtype(last) or bound.operator.result.device is ResultDevice.FIRST:
        return True if tensors and tensors[0].tensor.boolean else None
    return None


def promotes_dtypes(last: str) -> bool:
    """Whether an operator, by the last part of its name, has results of the dtype to which those of the
    operands are promoted."""
    return last in _JOINING


def keeps_dtype(last: str) -> bool:
    """Whether an operator, by the last part of its name, has results of the dtype of its first operand."""
    return last in _KEEPING


def _is_bitwise(name: str) -> bool:
    """Whether an operator combines bits or truth values, in one of its spellings: `&` is `__rand__`."""
    plain = name.removeprefix("bitwise_")
    return any(plain.removeprefix(prefix) in _BITWISE for prefix in ("", "i", "r"))


def _are_boolean(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether all operands other than a condition are boolean."""
    known = [each.tensor.boolean for each in tensors if each.name != "condition"]
    numbers = [
        _holds_booleans(passed.value)
        for argument, passed in bound.arguments
        if argument.kind is ArgumentKind.TENSOR and isinstance(passed.value, (Known, Scalar))
    ]
    return True if known and all(known) and all(numbers) else None
