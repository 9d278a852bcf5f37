"""Dtypes, as far as programs ask about them: whether they are floating point, or bool."""

from __future__ import annotations

import re

from devlint.model.value import value
from devlint.source.machine.domain.values import DTYPE, External, Known, Scalar, Tensor, Value

_FLOATING = frozenset({"float16", "half", "bfloat16", "float32", "float", "float64", "double"})
_INTEGERS = frozenset(
    {"uint16", "uint32", "uint64", "int8", "int16", "short", "int32", "int", "int64", "long", "char"}
)
_COMPLEX = frozenset({"complex32", "chalf", "complex64", "cfloat", "complex128", "cdouble", "complex"})
_FLOATS, _COMPLEX_NUMBERS = "is_floating_point", "is_complex"
QUESTIONS = frozenset({_FLOATS, _COMPLEX_NUMBERS})
"""Names of methods of tensors, attributes of dtypes and functions that ask what a dtype is."""
_BYTES = frozenset({"uint8", "byte"})
"""Integers that formerly were the dtype of masks."""
_LEGACY_TYPE = re.compile(r"torch\.(?:cuda\.)?(BFloat16|[A-Z][a-z]+)Tensor$")


@value
class Dtype(Scalar):
    """A dtype, or that of a tensor, of which something is known."""

    floating: bool | None = None
    """Whether it is floating point, which complex numbers are not; None if that is not known."""
    boolean: bool | None = None
    """Whether it is bool; None if that is not known."""


def dtype(floating: bool | None, boolean: bool | None) -> Dtype:
    """A dtype, by what is known of it."""
    return Dtype(DTYPE.type, floating=floating, boolean=boolean)


UNKNOWN_DTYPE = dtype(None, None)


def of_tensor(tensor: Tensor) -> Dtype:
    """The dtype of a tensor."""
    return dtype(tensor.floating, tensor.boolean)


def as_value(tensor: Tensor) -> Value:
    """`tensor.dtype`."""
    held = of_tensor(tensor)
    return DTYPE if held == UNKNOWN_DTYPE else held


def named(held: Value | None) -> Dtype | None:
    """The dtype that a value is, or names as `x.type("torch.FloatTensor")` does; None if it is none, or one
    of which nothing is known."""
    if isinstance(held, Dtype):
        return held
    name = held.name if isinstance(held, External) else held.value if isinstance(held, Known) else None
    return _by_name(name) if isinstance(name, str) else None


def _by_name(name: str) -> Dtype | None:
    legacy = _LEGACY_TYPE.match(name)
    if legacy is None and not name.startswith(("builtins.", "torch.")):
        return None
    last = name.rpartition(".")[2] if legacy is None else legacy[1].lower()
    if last in _FLOATING or last.startswith("float8_"):
        return dtype(floating=True, boolean=False)
    if last in _INTEGERS or last in _COMPLEX:
        return dtype(floating=False, boolean=False)
    if last in _BYTES:
        return dtype(floating=False, boolean=None)
    return dtype(floating=False, boolean=True) if last == "bool" else None


def answer(held: Dtype | None, question: str) -> bool | None:
    """The answer to a question by the name that tensors, dtypes and torch have for it; None if it is not
    known, or if it is none about dtypes."""
    if held is None:
        return None
    if question == _FLOATS:
        return held.floating
    return False if question == _COMPLEX_NUMBERS and (held.floating or held.boolean) else None


def are_equal(one: Value, other: Value) -> bool | None:
    """Whether two dtypes, one of which is a tensor's, are equal; None if that is not known, or if they are
    none. There are several dtypes of each sort but bool."""
    if not isinstance(one, Dtype) and not isinstance(other, Dtype):
        return None
    left, right = named(one), named(other)
    if left is None or right is None:
        return None
    if left.boolean and right.boolean:
        return True
    pairs = ((left.floating, right.floating), (left.boolean, right.boolean))
    return False if any(None not in pair and pair[0] is not pair[1] for pair in pairs) else None
