"""Whether a result has dimensions, as far as the operators table and the arguments show."""

from __future__ import annotations

from devlint.operators import ArgumentKind, DeviceRule, Dimensions
from devlint.source.machine.domain.values import Known, Reference, Scalar, Tensor, Value
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.operands import TensorArgument

_ALWAYS_WITH_DIMENSIONS = frozenset(
    {"arange", "linspace", "logspace", "eye", "randperm", "range", "tril_indices", "triu_indices"}
)
"""Factories that never make a 0-dim tensor."""
_MAY_DROP_DIMENSIONS = frozenset(
    {"squeeze", "squeeze_", "select", "view", "reshape", "__getitem__", "unbind", "dot", "vdot", "inner",
     "trace", "det", "logdet", "norm", "sum_to_size", "item", "take", "index", "einsum", "tensordot",
     "matmul", "__matmul__", "__rmatmul__", "reduce", "unflatten", "loss"}
)  # fmt: skip
"""Operators that can make a 0-dim tensor of one with dimensions, besides reductions,
whose rank the table knows."""


def rank0_of(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether the result has no dimensions; None where that is not known."""
    match bound.operator.result.rank:
        case Dimensions.ZERO:
            return True
        case Dimensions.NONZERO:
            return False
        case Dimensions.ZERO_WITHOUT_DIM:
            if bound.given("dim") or bound.given("axis") or any(p.stars for _, p in bound.arguments):
                return None
            return not any(argument.name == "dim" for argument, _ in bound.arguments)
        case Dimensions.OPERANDS:
            return _largest(bound, tensors)
        case _ if bound.operator.rule is DeviceRule.FACTORY:
            return _rank0_of_shape(bound)
        case _:
            return _rank0_kept(bound, tensors)


def _largest(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    ranks = [each.tensor.rank0 for each in tensors]
    if any(rank is False for rank in ranks):
        return False
    others = [p.value for a, p in bound.arguments if a.kind is ArgumentKind.TENSOR]
    known = all(ranks) and all(isinstance(other, (Tensor, Known, Scalar)) for other in others)
    return True if ranks and known else None


def _rank0_of_shape(bound: Bound) -> bool | None:
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


def _rank0_kept(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether an operator of which the table says nothing keeps its operands' dimensions: most do."""
    last = bound.operator.name.rpartition(".")[2]
    if last in {"view", "reshape", "expand"} and len(bound.arguments) > 2:
        return False
    if (
        last in _MAY_DROP_DIMENSIONS
        or last.endswith("_loss")
        or bound.operator.name.startswith("torch.nn.functional.")
    ):
        return None
    ranks = [each.tensor.rank0 for each in tensors]
    return False if ranks and all(rank is False for rank in ranks) else None


def _rank0_of_data(data: Value) -> bool | None:
    match data:
        case Known() | Tensor(rank0=True) | Scalar(type="int" | "float" | "bool"):
            return True
        case Reference(target=Container()) | Tensor(rank0=False):
            return False
        case _:
            return None
