"""Results of NumPy's functions and similar ones: an array, or a number.

An array works only with tensors on the host; a number, including NumPy's scalars, with tensors on any device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from devlint.model import CPU, UNKNOWN, Presumed
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import (
    ARRAY,
    NONE,
    SCALAR,
    Array,
    External,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.array_dimensions import (
    broadcast,
    is_whole,
    least_joined,
    least_of,
    least_reduced,
    least_selected,
    least_shaped,
)
from devlint.source.machine.library.array_truths import holds_truths, method_holds_truths
from devlint.source.machine.library.sparse import DENSE, SPARSE

_UNSURE = Array(may_be_number=True)
_ELEMENTWISE = frozenset(
    {"abs", "absolute", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
     "around", "cbrt", "ceil", "clip", "conj", "cos", "cosh", "deg2rad", "degrees", "divide", "exp", "exp2",
     "expm1", "fabs", "fix", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "hypot", "imag",
     "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logaddexp", "maximum", "minimum", "mod",
     "multiply", "nan_to_num", "negative", "power", "rad2deg", "radians", "real", "reciprocal", "remainder",
     "rint", "round", "sign", "sin", "sinc", "sinh", "sqrt", "square", "subtract", "tan", "tanh",
     "true_divide", "trunc"}
)  # fmt: skip
"""Element-wise functions, which return a number for a number (docs of NumPy, "Universal functions")."""
_NUMBER_TYPES = frozenset(
    {"bool", "bool_", "byte", "complex", "complex64", "complex128", "double", "float", "float16", "float32",
     "float64", "float_", "half", "int", "int8", "int16", "int32", "int64", "int_", "intc", "intp", "long",
     "longdouble", "longlong", "short", "single", "ubyte", "uint", "uint8", "uint16", "uint32", "uint64",
     "uintc", "uintp", "ulong", "ulonglong", "ushort"}
)  # fmt: skip
"""Types of numbers; `int`, `float`, `bool` and `complex` were Python's own in NumPy up to 1.23."""
_REDUCTIONS = frozenset(
    {"all", "amax", "amin", "any", "argmax", "argmin", "average", "count_nonzero", "max", "mean", "median",
     "min", "nanmax", "nanmean", "nanmedian", "nanmin", "nanstd", "nansum", "nanvar", "percentile", "prod",
     "ptp", "quantile", "std", "sum", "var"}
)  # fmt: skip
"""Reductions of all elements, or of those along an axis."""
_OF_RANKS = frozenset({"percentile", "quantile"})
"""Reductions that get ranks before the axis."""
_SIZE_AT = {
    **dict.fromkeys(("rand", "randn", "random", "random_sample", "standard_normal"), 0),
    **dict.fromkeys(("choice", "exponential", "poisson", "standard_gamma"), 1),
    **dict.fromkeys(
        ("beta", "binomial", "gamma", "integers", "laplace", "lognormal", "normal", "randint", "uniform"), 2
    ),
}
"""The arguments with the sizes of functions that draw random numbers; without sizes, they return one number
for numbers."""
_OF_EACH_SIZE = frozenset({"rand", "randn"})
"""Functions of which each argument is a size."""
_FEW = 1024
"""As many elements as a page has room for, if each has four bytes."""
_OF_SIZES = frozenset({"empty", "full", "ones", "zeros"})
"""Functions whose first argument is the shape of the array."""
_LINES = frozenset({"arange", "bincount", "flatnonzero"})
"""Functions whose result has one dimension, whatever they get."""
_SPACES = frozenset({"geomspace", "linspace", "logspace"})
"""Functions whose result has one dimension if they get numbers."""
_SPLITS = frozenset({"array_split", "dsplit", "hsplit", "split", "vsplit"})
"""Functions that return a list of parts, which has one dimension more than the array."""
_JOINS = frozenset({"concat", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack"})
"""Functions that join several arrays."""
_OF_DATA = frozenset({"array", "asanyarray", "asarray", "empty_like", "full_like", "ones_like", "zeros_like"})
"""Functions whose result has as many dimensions as their argument."""
_REARRANGING = frozenset(
    {"ascontiguousarray", "copy", "flip", "fliplr", "flipud", "roll", "sort", "transpose"}
)
"""Functions whose result has as many dimensions and elements as the array."""
_GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState"})
"""Functions that create a generator, whose methods are those of the package."""


METHODS = frozenset(
    {"all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "byteswap", "choose",
     "clip", "compress", "conj", "conjugate", "copy", "cumprod", "cumsum", "diagonal", "dot",
     "dump", "dumps", "fill", "flatten", "getfield", "item", "itemset", "max", "mean", "min",
     "nonzero", "partition", "prod", "ptp", "put", "ravel", "repeat", "reshape", "resize", "round",
     "searchsorted", "setfield", "setflags", "sort", "squeeze", "std", "sum", "swapaxes", "take",
     "tobytes", "tofile", "tolist", "tostring", "trace", "transpose", "var", "view"}
)  # fmt: skip
"""The methods of `numpy.ndarray` in NumPy 1 and 2. Elements of an array of objects have others."""
_SAME_SIZE = frozenset({"astype", "clip", "copy", "swapaxes", "transpose"})
"""Methods whose result has as many dimensions and elements as the array."""
_FLAT = frozenset({"flatten", "ravel"})
"""Methods whose result has one dimension."""
_VIEWS = frozenset({"ravel", "reshape", "squeeze", "swapaxes", "transpose", "view"})
"""Methods whose result is a view of the array, as a rule."""


def result_of(name: str, passed: Sequence[Passed]) -> Value:
    """The result of a function of NumPy, pandas or SciPy."""
    package, _, last = name.rpartition(".")
    if name in SPARSE:
        return ARRAY
    if package.startswith("scipy"):
        return _of_elements(passed) if _are_numbers(passed) is not False else ARRAY
    if name in _GENERATORS:
        return External(package)
    if package == "numpy.random":
        return _drawn(last, passed)
    if package != "numpy":
        return ARRAY
    if last in _ELEMENTWISE or last in _NUMBER_TYPES:
        return _of_elements(passed, boolean=holds_truths(last, passed))
    if last in _REDUCTIONS:
        axis = _argument(passed, 2 if last in _OF_RANKS else 1, "axis")
        return _reduced(passed[1:], least_reduced(least_of(_first(passed)), axis))
    boolean = holds_truths(last, passed)
    if last in _JOINS:
        dimensions = 2 if _joins_matrices(passed) else 0
        return Array(boolean=boolean, dimensions=dimensions, least=least_joined(passed, last))
    if last in _SPLITS:
        return Array(boolean=boolean, least=least_of(_first(passed)) + 1)
    if last in _LINES or (last in _SPACES and _spans_numbers(passed)):
        return Array(dimensions=1, least=1)
    if last in _REPEATING:
        return Array(boolean=boolean, dimensions=_REPEATING[last](passed), least=1)
    if last in _REARRANGING:
        dimensions = _most_dimensions(passed[:1])
        return Array(boolean=boolean, dimensions=dimensions, least=least_of(_first(passed)))
    if last not in _OF_SIZES:
        return Array(boolean=boolean, least=least_of(_first(passed)) if last in _OF_DATA else 0)
    dimensions = 1 if _is_size(passed) else 2 if _is_matrix(passed[:1]) else 0
    return Array(boolean=boolean, dimensions=dimensions, least=least_shaped(passed[:1]))


def _first(passed: Sequence[Passed]) -> Value:
    """The array that a function gets."""
    return passed[0].value if passed else NONE


def _most_dimensions(passed: Sequence[Passed]) -> int:
    """2 if an argument is a matrix, to which others are broadcast; otherwise 0."""
    return max((_least_dimensions(each.value) for each in passed), default=0)


def _least_dimensions(held: Value) -> int:
    """2 if a value is a matrix, whichever alternative it is; otherwise 0."""
    return min(each.dimensions // 2 * 2 if isinstance(each, Array) else 0 for each in alternatives(held))


def _of_repeat(passed: Sequence[Passed]) -> int:
    """The dimensions of `np.repeat(array, count, axis)`, which says by the axis how many the array has, and
    without an axis repeats the elements in one row."""
    axis = _argument(passed, 2, "axis")
    if axis in (None, NONE):
        return 1
    if isinstance(axis, Known) and isinstance(axis.value, int) and axis.value not in (0, -1):
        return 2
    return _most_dimensions(passed[:1])


def _of_tile(passed: Sequence[Passed]) -> int:
    """The dimensions of `np.tile(array, counts)`: as many as there are counts, if the array has not more."""
    counts = _argument(passed, 1, "reps")
    return 2 if counts is not None and len(_contents(counts)) > 1 else _most_dimensions(passed[:1])


_REPEATING: dict[str, Callable[[Sequence[Passed]], int]] = {"repeat": _of_repeat, "tile": _of_tile}
"""Functions that repeat an array, which makes it larger."""


def _argument(passed: Sequence[Passed], position: int, name: str) -> Value | None:
    """The argument of a function, by its position or its name; None if it is not passed."""
    plain = [each for each in passed if not each.keyword]
    given = [each for each in passed if each.keyword == name] or plain[position : position + 1]
    return given[0].value if given else None


def _is_matrix(shape: Sequence[Passed]) -> bool:
    """Whether arguments, or one that holds them, are the shape of a matrix that is not known to have few
    elements."""
    sizes = _sizes(shape)
    return len(sizes) > 1 and (None in sizes or math.prod(each or 0 for each in sizes) > _FEW)


def _is_large(shape: Sequence[Passed]) -> bool:
    """Whether arguments, or one that holds them, are the shape of an array that has many elements: as is
    known, or because it has three dimensions or more, of which several may be large."""
    sizes = _sizes([each for each in shape if each.keyword in ("", "newshape", "shape", "size")])
    known = [each for each in sizes if each is not None]
    many = len(known) == len(sizes) or len(sizes) > 2
    return many and 0 not in known and (math.prod(known) > _FEW or len(sizes) - len(known) > 1)


def _sizes(shape: Sequence[Passed]) -> list[int | None]:
    """The sizes in a shape; None for one that is not known."""
    held = _contents(shape[0].value) if len(shape) == 1 else [each.value for each in shape]
    return [
        each.value if isinstance(each, Known) and isinstance(each.value, int) and each.value >= 0 else None
        for each in held
    ]


def _joins_matrices(passed: Sequence[Passed]) -> bool:
    """Whether one of the arrays that are joined is a matrix that is not known to have few elements."""
    parts = _contents(passed[0].value) if passed else []
    return any(isinstance(one, Array) and one.dimensions > 1 for each in parts for one in alternatives(each))


def _contents(held: Value) -> list[Value]:
    """What a list or a tuple holds."""
    target = held.target if isinstance(held, Reference) else None
    return [*target.cells.values()] if isinstance(target, Container) else []


def _is_size(passed: Sequence[Passed]) -> bool:
    """Whether the first argument is the size of the one dimension of an array."""
    sizes = [*alternatives(passed[0].value)] if passed and not passed[0].stars else []
    return bool(sizes) and all(map(is_whole, sizes))


def method_result(receiver: Array, name: str, passed: Sequence[Passed]) -> Value:
    """The result of an array's method."""
    if name in ("item", "tolist"):
        return SCALAR
    if name in DENSE:
        return changed(receiver, may_be_number=False, drawn=True, dimensions=0, least=0)
    if name in _REDUCTIONS:
        return _reduced(passed, least_reduced(receiver.least, _argument(passed, 0, "axis")))
    boolean = method_holds_truths(receiver, name, passed)
    held = receiver.held and name in _VIEWS
    shaped = name == "reshape" and _is_large(passed)
    dimensions = receiver.dimensions if name in _SAME_SIZE else 2 if shaped else 0
    if name == "reshape":
        least = least_shaped(passed)
    else:
        least = receiver.least if name in _SAME_SIZE else int(name in _FLAT)
    made = changed(receiver, boolean=boolean, dimensions=dimensions, held=held, least=least)
    return changed(made, may_be_number=False) if least else made


def element_of(owner: Array, indices: Sequence[Passed]) -> Value:
    """`array[indices]`: an array if an index is a slice or another array; else it may be a number, and is one
    if there is one dimension."""
    if owner.dimensions == 1 and len(indices) == 1 and _is_position(indices[0].value):
        return SCALAR
    sure = any(_selects_several(each.value) for each in indices)
    is_slice = all(isinstance(each.value, Method) and each.value.name == "slice" for each in indices)
    least = least_selected(owner.least, indices)
    return changed(
        owner,
        may_be_number=not least and (not sure or owner.may_be_number),
        least=least,
        dimensions=1 if owner.dimensions == 1 and is_slice else 0,
        held=owner.held and is_slice,
    )


def each_of(array: Array) -> Value:
    """An element of an array over which a loop iterates: a number if there is one dimension."""
    least = max(0, array.least - 1)
    row = changed(array, may_be_number=least == 0, held=False, least=least)
    return SCALAR if array.dimensions == 1 else row


def _is_position(index: Value) -> bool:
    """Whether an index is one number, of Python or of NumPy."""
    return isinstance(index, (Known, Scalar)) and scalar_type(index) in ("int", "")


def _selects_several(index: Value) -> bool:
    """Whether an index selects more than one element: a slice, a name of a column, or several positions."""
    match index:
        case Array(may_be_number=may_be_number):
            return not may_be_number
        case Tensor(rank0=rank0):
            return rank0 in (False, Presumed.DIMENSIONS)
        case Method(name=name):
            return name == "slice"  # else an attribute of an object of which nothing is known
        case _:
            return _is_text(index)


def computed(left: Value, right: Value) -> Value:
    """The result of arithmetic with an array: a number only if both operands may be numbers; a tensor on the
    host if one operand is a tensor (`torch.Tensor.__array_priority__`), because an array cannot be combined
    with others."""
    tensor = next((each for each in (left, right) if isinstance(each, Tensor)), None)
    if tensor is not None:
        return Tensor(CPU if tensor.device == CPU else UNKNOWN, tensor.origin, serial=new_serial())
    dimensions = max(_least_dimensions(left), _least_dimensions(right))
    return changed(compared(left, right), boolean=False, dimensions=dimensions)


def compared(left: Value, right: Value) -> Array:
    """The result of a comparison with an array: a truth value for each element, or one for numbers."""
    sure = any(isinstance(each, Array) and not each.may_be_number for each in (left, right))
    return Array(may_be_number=not sure, boolean=True, least=broadcast((left, right)))


def _of_elements(passed: Sequence[Passed], *, boolean: bool = False) -> Value:
    numbers = _are_numbers(passed)
    if numbers:
        return SCALAR
    least = broadcast([each.value for each in passed if not each.keyword and not each.stars])
    if numbers is None and not least:
        return Array(may_be_number=True, boolean=boolean)
    return Array(boolean=boolean, dimensions=_most_dimensions(passed), least=least)


def _are_numbers(passed: Sequence[Passed]) -> bool | None:
    """Whether all arguments are numbers; False if one is an array, None if that is not known."""
    answers = {_is_number(one) for each in passed for one in alternatives(each.value) if not each.stars}
    return False if False in answers else None if None in answers or not passed else True


def _spans_numbers(passed: Sequence[Passed]) -> bool:
    """Whether the bounds of an array are numbers, and nothing else is asked for."""
    return all(_is_number(each.value) and each.keyword not in ("axis", "retstep") for each in passed)


def _is_number(held: Value) -> bool | None:
    if isinstance(held, (Known, Scalar)):
        return True
    if isinstance(held, Array):
        return None if held.may_be_number else False
    if isinstance(held, Tensor) and held.source is not None and not held.source.evident:
        return None  # the result for an input that may be a number
    return False if isinstance(held, (Tensor, Reference)) else None


def _is_text(held: Value) -> bool:
    return isinstance(held, (Known, Scalar)) and scalar_type(held) == "str"


def _reduced(passed: Sequence[Passed], least: int) -> Value:
    """The result of a reduction that leaves so many dimensions at least: a number, unless an argument other
    than the data names an axis."""
    keywords = {each.keyword for each in passed}
    if least or "keepdims" in keywords:
        return Array(least=least)
    return _UNSURE if passed else SCALAR


def _drawn(name: str, passed: Sequence[Passed]) -> Value:
    """A random number, or an array of them if sizes are given."""
    if name == "permutation":
        return Array(dimensions=int(_is_size(passed)), least=1)
    if name not in _SIZE_AT:
        return ARRAY
    if not passed:
        return SCALAR
    sizes = [each for each in passed if each.keyword == "size"] or passed[_SIZE_AT[name] :]
    given = alternatives(sizes[0].value) if sizes else (NONE,)
    if NONE not in given:
        shape = sizes[:1] if sizes[0].keyword or name not in _OF_EACH_SIZE else sizes
        of_numbers = name != "choice" or _draws_numbers(passed[0].value)
        is_line = of_numbers and len(shape) == 1 and _is_size(shape)
        return Array(dimensions=2 if _is_large(shape) else int(is_line), least=least_shaped(shape))
    if len(given) > 1:
        return _UNSURE
    if name == "choice":
        return _chosen(passed[0].value)
    return _of_elements(passed)


def _chosen(listed: Value) -> Value:
    """An element of known numbers, or an unknown part of an array."""
    return SCALAR if _draws_numbers(listed) else _UNSURE


def _draws_numbers(listed: Value) -> bool:
    """Whether what is drawn from a list, a range or an array, or up to a number, is one number each time."""
    if isinstance(listed, Array):
        return listed.dimensions == 1
    held = listed.target if isinstance(listed, Reference) else None
    items = [*held.cells.values()] if isinstance(held, Container) else [listed]
    return bool(items) and all(_is_number(one) for each in items for one in alternatives(each))
