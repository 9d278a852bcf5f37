"""Whether a result has dimensions, as far as the operators table and the arguments show."""

from __future__ import annotations

from devlint.operators import ArgumentKind, DeviceRule, Rank
from devlint.source.flow.operators.binding import Bound
from devlint.source.flow.operators.operands import TensorArgument
from devlint.source.flow.state.values import SCALAR, Container, Literal, Tensor, Value


def rank0_of(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    match bound.operator.result.rank:
        case Rank.ZERO:
            return True
        case Rank.NONZERO:
            return False
        case Rank.ZERO_WITHOUT_DIM:
            if bound.given("dim") or bound.given("axis") or any(p.stars for _, p in bound.arguments):
                return None
            return not any(argument.name == "dim" for argument, _ in bound.arguments)
        case Rank.OPERANDS:
            ranks = [each.tensor.rank0 if isinstance(each.tensor, Tensor) else None for each in tensors]
            others = [p.value for a, p in bound.arguments if a.kind is ArgumentKind.TENSOR]
            if any(rank is False for rank in ranks):
                return False
            known = all(rank for rank in ranks) and all(
                isinstance(o, Tensor | Literal) or o == SCALAR for o in others
            )
            return True if ranks and known else None
        case _ if bound.operator.rule is DeviceRule.FACTORY:
            return _rank0_of_shape(bound)
        case _:
            return _rank0_kept(bound, tensors)


_ALWAYS_WITH_DIMENSIONS = frozenset(
    {"arange", "linspace", "logspace", "eye", "randperm", "range", "tril_indices", "triu_indices"}
)
"""Factories that never make a 0-dim tensor."""


def _rank0_of_shape(bound: Bound) -> bool | None:
    """Whether a factory with an explicit shape or data makes a 0-dim tensor."""
    shapes = [
        passed
        for argument, passed in bound.arguments
        if argument.name in {"size", "data", "obj", "shape"}
        or not (argument.name or passed.keyword)
        or (isinstance(passed.value, Container) and not passed.keyword)
    ]
    if bound.operator.name.rpartition(".")[2] in _ALWAYS_WITH_DIMENSIONS:
        return False
    if not shapes or any(passed.stars for passed in shapes):
        return None if not shapes else False
    first = shapes[0].value
    if bound.passed("data") is not None or bound.passed("obj") is not None:
        return _rank0_of_data(first)
    if isinstance(first, Container) and first.items is not None:
        return not first.items
    return False


_MAY_DROP_DIMENSIONS = frozenset(
    {"squeeze", "squeeze_", "select", "view", "reshape", "__getitem__", "unbind", "dot", "vdot", "inner",
     "trace", "det", "logdet", "norm", "sum_to_size", "item", "take", "index", "einsum", "tensordot",
     "matmul", "__matmul__", "__rmatmul__", "reduce", "unflatten", "loss"}
)  # fmt: skip
"""Operators that can make a 0-dim tensor of one with dimensions, besides reductions, whose rank the table
knows."""


def _rank0_kept(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether an operator of which the table says nothing keeps its operands' dimensions: most do."""
    last = bound.operator.name.rpartition(".")[2]
    if last in {"view", "reshape", "expand"} and (len(bound.arguments) > 2 or _keeps_some(bound, tensors)):
        return False
    if (
        last in _MAY_DROP_DIMENSIONS
        or last.endswith("_loss")
        or bound.operator.name.startswith("torch.nn.functional.")
    ):
        return None
    ranks = [each.tensor.rank0 if isinstance(each.tensor, Tensor) else None for each in tensors]
    return False if ranks and all(rank is False for rank in ranks) else None


def _keeps_some(bound: Bound, tensors: list[TensorArgument]) -> bool:
    """Whether what has dimensions is given a shape that is worked out: nobody works out that it has none."""
    source = tensors[0].tensor if tensors else None
    shape = bound.arguments[-1][1].value if len(bound.arguments) == 2 else None
    spelled_out = isinstance(shape, Container) and shape.items == ()
    return isinstance(source, Tensor) and source.rank0 is False and shape is not None and not spelled_out


def _rank0_of_data(data: Value) -> bool | None:
    match data:
        case Literal() | Tensor(rank0=True):
            return True
        case Container() | Tensor(rank0=False):
            return False
        case _:
            return None
