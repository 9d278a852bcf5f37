"""Whether arrays hold truth values, as far as the functions that make them and their arguments show it."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.values import (
    NONE,
    Array,
    External,
    Known,
    Reference,
    Scalar,
    Value,
    alternatives,
)
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.objects import Container

_DTYPES = (External("numpy.bool"), External("numpy.bool_"), External("builtins.bool"), Known("bool"))
"""The dtype of truth values."""
_DTYPE_AT = {
    **dict.fromkeys(("array", "asanyarray", "asarray", "ascontiguousarray", "empty", "ones", "zeros"), 1),
    **dict.fromkeys(("empty_like", "ones_like", "zeros_like"), 1),
    **dict.fromkeys(("full", "full_like"), 2),
}
"""The position of the dtype among the arguments of a function."""
_TAKING_OVER = frozenset(
    {"array", "array_split", "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d",
     "broadcast_to", "copy", "delete", "diagonal", "dsplit", "empty_like", "expand_dims", "flip",
     "fliplr", "flipud", "full_like", "hsplit", "moveaxis", "ones_like", "ravel", "repeat", "reshape", "roll",
     "rot90", "sort", "split", "squeeze", "swapaxes", "take", "tile", "transpose", "vsplit",
     "zeros_like"}
)  # fmt: skip
"""Functions whose result has the dtype of their first argument, unless they get one."""
_JOINING = frozenset({"concat", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack"})
"""Functions whose result has the dtype that its parts have in common."""
_TESTS = frozenset(
    {"equal", "greater", "greater_equal", "in1d", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf",
     "isposinf", "less", "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
     "signbit"}
)  # fmt: skip
"""Functions that say something of each element."""
_OTHER_NUMBERS = frozenset({"argpartition", "argsort", "cumprod", "cumsum", "dot", "nonzero", "view"})
"""Methods whose result has other numbers than the array."""


def holds_truths(name: str, passed: Sequence[Passed]) -> bool:
    """Whether the result of a function of NumPy is known to hold truth values."""
    plain = [each.value for each in passed if not each.keyword and not each.stars]
    named = {each.keyword: each.value for each in passed if each.keyword}
    dtype = named.get("dtype") or _at(plain, _DTYPE_AT.get(name))
    if dtype not in (None, NONE):
        return dtype in _DTYPES
    if name in _TESTS:
        return True
    if name == "full":
        return _are_truths(named.get("fill_value") or _at(plain, 1))
    if name in _TAKING_OVER:
        return _are_truths(_at(plain, 0))
    return name in _JOINING and _are_truths(_at(plain, 0))


def method_holds_truths(receiver: Array, name: str, passed: Sequence[Passed]) -> bool:
    """Whether the result of an array's method is known to hold truth values."""
    if name == "astype":
        return any(each.value in _DTYPES for each in passed if each.keyword in ("", "dtype"))
    return receiver.boolean and name not in _OTHER_NUMBERS


def _at(plain: Sequence[Value], position: int | None) -> Value | None:
    return plain[position] if position is not None and position < len(plain) else None


def _are_truths(held: Value | None) -> bool:
    """Whether a number, an array or a list holds nothing but truth values, whichever alternative it is."""
    return held is not None and all(map(_is_truth, alternatives(held)))


def _is_truth(held: Value) -> bool:
    match held:
        case Known() | Scalar():
            return scalar_type(held) == "bool"
        case Array(boolean=boolean):
            return boolean
        case Reference(target=Container(kind="list" | "tuple", cells=cells)):
            return bool(cells) and all(map(_are_truths, cells.values()))
        case _:
            return False
