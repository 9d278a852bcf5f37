"""Whether a result has dimensions, as far as the operators table and the arguments show it."""

from __future__ import annotations

from devlint.model import Presumed, Rank0
from devlint.operators import MAKERS, ArgumentKind, Dimensions
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Array, Known, Reference, Scalar, Tensor, Value
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.operands import TensorArgument
from devlint.source.machine.operators.result_shapes import KEEP_NUMBER, dimensions

_ALWAYS_WITH_DIMENSIONS = frozenset(
    {"arange", "linspace", "logspace", "eye", "randperm", "range", "tril_indices", "triu_indices"}
)
"""Factories that never create a 0-dim tensor."""
_MAY_DROP_DIMENSIONS = frozenset(
    {"__getitem__", "unbind", "inner", "det", "logdet", "norm", "sum_to_size", "item", "take", "index",
     "tensordot", "reduce", "unflatten", "loss"}
)  # fmt: skip
"""Operators that can reduce a tensor with dimensions to a 0-dim tensor, besides reductions, which the table
lists."""
_SELDOM_DROP_ALL = frozenset(
    {"squeeze", "squeeze_", "select", "view", "reshape", "matmul", "__matmul__", "__rmatmul__",
     "cosine_similarity", "pairwise_distance"}
)  # fmt: skip
"""Operators whose result could have no dimension, though it rarely does: a matrix product could be one of
vectors."""
_DECOMPOSITIONS = frozenset(
    {"eig", "eigh", "geqrf", "ldl_factor", "lu", "lu_factor", "lu_unpack", "pca_lowrank", "qr", "svd",
     "svd_lowrank", "triangular_solve"}
)  # fmt: skip
"""Operators that return matrices and vectors."""
_ALONG_LAST = frozenset({"kthvalue", "mode"})
"""Operators that remove the last dimension by default."""
_WIDENED = frozenset({"broadcast_to", "expand", "repeat", "tile"})
"""Operators that increase the number of elements."""
_NUMBERS = frozenset({"dot", "vdot", "trace"})
"""Operators that keep at least one dimension."""


def rank0_of(bound: Bound, tensors: list[TensorArgument]) -> Rank0:
    """Whether the result has no dimensions."""
    match bound.operator.result.rank:
        case Dimensions.ZERO:
            return True
        case Dimensions.NONZERO:
            return False
        case Dimensions.ZERO_WITHOUT_DIM:
            if any(passed.stars for _, passed in bound.arguments):
                return None
            if bound.has_value("dim") or bound.has_value("axis"):
                return _rank0_reduced(bound, tensors)
            if bound.is_true("keepdim"):
                return _rank0_kept(bound, tensors)
            return not any(argument.name == "dim" for argument, _ in bound.arguments)
        case Dimensions.OPERANDS:
            found = _largest(bound, tensors) if tensors else _rank0_of_shape(bound)
            names_one = found in (None, Presumed.PERHAPS) and bound.has_value("dim")
            return Presumed.DIMENSIONS if names_one else found
        case _ if bound.operator.rule in MAKERS:
            return _rank0_of_shape(bound)
        case _:
            return _rank0_kept(bound, tensors)


def rank0_of_part(bound: Bound, tensors: list[TensorArgument]) -> Rank0:
    """Whether one of several results, all of unknown size, has no dimensions."""
    last, rank = bound.operator.name.rpartition(".")[2], bound.operator.result.rank
    if rank is Dimensions.NONZERO or last in _DECOMPOSITIONS:
        return False
    if last == "broadcast_tensors":
        return _largest(bound, tensors)
    operand = tensors[0].tensor.rank0 if tensors else None
    if last in _ALONG_LAST:
        return Presumed.DIMENSIONS if operand is False else operand
    return operand if last in KEEP_NUMBER or rank is Dimensions.OPERANDS else None


def _rank0_reduced(bound: Bound, tensors: list[TensorArgument]) -> Rank0:
    """Whether a reduction over some dimensions leaves none. A call that names one dimension most likely has
    more."""
    operand = tensors[0].tensor.rank0 if tensors else None
    if operand is True or bound.is_true("keepdim"):
        return operand
    told = dimensions(bound)
    least = max((each + 1 if each >= 0 else -each for each in told), default=0) if told else 0
    return False if told and least > len(told) else Presumed.DIMENSIONS


def _largest(bound: Bound, tensors: list[TensorArgument]) -> Rank0:
    ranks = [each.tensor.rank0 for each in tensors]
    if False in ranks:
        return False
    if Presumed.DIMENSIONS in ranks:
        return Presumed.DIMENSIONS
    if Presumed.PERHAPS in ranks:
        return Presumed.PERHAPS
    others = [p.value for a, p in bound.arguments if a.kind is ArgumentKind.TENSOR]
    known = all(ranks) and all(isinstance(other, (Tensor, Known, Scalar)) for other in others)
    return True if ranks and known else None


def _rank0_of_shape(bound: Bound) -> Rank0:
    """Whether a factory with an explicit shape or data makes a 0-dim tensor."""
    if bound.operator.name.rpartition(".")[2] in _ALWAYS_WITH_DIMENSIONS:
        return False
    shapes = [
        passed
        for argument, passed in bound.arguments
        if argument.name in {"size", "data", "obj", "shape"}
        or not (argument.name or passed.keyword)
        or (_container(passed.value) is not None and not passed.keyword)
    ]
    if not shapes or any(passed.stars for passed in shapes):
        return None if not shapes else False
    first = shapes[0].value
    if bound.passed("data") is not None or bound.passed("obj") is not None:
        return _rank0_of_data(first)
    held = _container(first)
    if held is not None and held.exact:
        return not held.length
    return False


def _container(held: Value) -> Container | None:
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return held.target
    return None


def _rank0_kept(bound: Bound, tensors: list[TensorArgument]) -> Rank0:
    """Whether an operator without an entry in the table keeps its operands' dimensions, as most do."""
    last = bound.operator.name.rpartition(".")[2]
    if last in _NUMBERS:
        return True
    if last == "einsum":
        return _rank0_of_equation(bound.value("equation"))
    if last == "from_numpy":
        # It takes no number; an array without dimensions is rare.
        known = any(_rank0_of_data(each.value) is False for _, each in bound.arguments)
        return False if known else Presumed.DIMENSIONS
    if _is_loss(bound) and bound.value("reduction") != Known("none"):
        return _rank0_of_loss(bound)
    if last in _WIDENED:
        return Presumed.DIMENSIONS
    ranks = {each.tensor.rank0 for each in tensors}
    if last in _MAY_DROP_DIMENSIONS or not ranks <= {False, Presumed.DIMENSIONS}:
        return None
    presumed = last in _SELDOM_DROP_ALL or Presumed.DIMENSIONS in ranks
    return (Presumed.DIMENSIONS if presumed else False) if ranks else None


def _is_loss(bound: Bound) -> bool:
    return any(argument.name == "reduction" for argument in bound.operator.arguments)


def _rank0_of_loss(bound: Bound) -> bool | None:
    """Whether a loss is one number, which it is unless one for each element is requested."""
    reduction = bound.passed("reduction")
    is_known = reduction is None or isinstance(reduction.value, Known)
    return True if is_known and bound.passed("reduce") is None else None


def _rank0_of_equation(equation: Value | None) -> bool | None:
    """Whether the result of `einsum` has no index."""
    if not isinstance(equation, Known) or not isinstance(equation.value, str):
        return None
    inputs, arrow, result = equation.value.replace(" ", "").partition("->")
    letters = result if arrow else [each for each in inputs if each.isalpha() and inputs.count(each) == 1]
    return not letters


def _rank0_of_data(data: Value) -> Rank0:
    match data:
        case Known() | Tensor(rank0=True) | Scalar(type="int" | "float" | "bool"):
            return True
        case Reference(target=Container()) | Tensor(rank0=False) | Input(sized=True):
            return False
        case Array(may_be_number=False, least=least):
            return Presumed.DIMENSIONS if least == 0 else False
        case _:
            return None
