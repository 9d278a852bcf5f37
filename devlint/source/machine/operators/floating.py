"""Whether the results of operators are floating point, as far as the operators table and the arguments show
it."""

from __future__ import annotations

from devlint.operators import DeviceRule, ResultDevice
from devlint.source.machine.domain import dtypes
from devlint.source.machine.domain.dtypes import named
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.values import (
    DTYPE,
    NONE,
    SCALAR,
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
from devlint.source.machine.operators.booleans import data_of, keeps_dtype, promotes_dtypes
from devlint.source.machine.operators.operands import TensorArgument
from devlint.source.machine.operators.shapes import CONVERSIONS

_OF_DEFAULT_DTYPE = frozenset(
    {"torch.Tensor", "torch.empty", "torch.eye", "torch.linspace", "torch.logspace", "torch.normal",
     "torch.ones", "torch.rand", "torch.randn", "torch.range", "torch.zeros"}
)  # fmt: skip
"""Factories that create tensors of the default dtype, which is floating point."""
_OF_INTEGERS = frozenset({"torch.randint", "torch.randperm", "torch.tril_indices", "torch.triu_indices"})
_PARTS = frozenset({"imag", "real", "view_as_real"})
"""Operators that return the floating-point parts of complex numbers."""


def is_floating(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether a result is floating point; None if that is not known."""
    given = _dtype_given(bound)
    if given is not None:
        found = named(given)
        return None if found is None else found.floating
    result = bound.operator.result
    if result.boolean or result.floating is False:
        return False
    made = _made(bound)
    if made is not None:
        return made
    name = bound.operator.name
    return True if name.startswith("torch.Tensor.") and _last(bound) in CONVERSIONS else _kept(bound, tensors)


def number_of(bound: Bound, tensors: list[TensorArgument]) -> Value:
    """What an operator returns that returns one number: the answer, if it asks for the dtype of a tensor."""
    known = dtypes.answer(dtypes.of_tensor(tensors[0].tensor), _last(bound)) if tensors else None
    return SCALAR if known is None else Known(known)


def _last(bound: Bound) -> str:
    return bound.operator.name.rpartition(".")[2]


def _dtype_given(bound: Bound) -> Value | None:
    """The dtype that is passed, also to an argument that takes something else, too: `x.view(torch.int32)`."""
    asked = bound.value("dtype")
    if asked not in (None, NONE):
        return asked
    values = (passed.value for _, passed in bound.arguments)
    return next((each for each in values if _is_dtype(each)), None)


def _is_dtype(held: Value) -> bool:
    is_named = isinstance(held, External) and named(held) is not None
    return is_named or (isinstance(held, Scalar) and held.type == DTYPE.type)


def _made(bound: Bound) -> bool | None:
    """Whether a factory creates floating-point numbers without being told."""
    name = bound.operator.name
    if name in _OF_DEFAULT_DTYPE:
        return True
    if name in _OF_INTEGERS:
        return False
    if name == "torch.arange":
        given = [bound.value(each) for each in ("start", "end", "step") if bound.passed(each) is not None]
        return _are_floats(given)
    legacy = named(External(name))
    return _holds_floats(data_of(bound)) if legacy is None else legacy.floating


def _are_floats(numbers: list[Value | None]) -> bool | None:
    """Whether one of some numbers is a float: then so are those that are computed with it."""
    answers = {_holds_floats(each) for each in numbers}
    return True if True in answers else False if answers == {False} else None


def _holds_floats(data: Value | None) -> bool | None:
    """Whether numbers or lists of numbers become floating point; None if that is not known."""
    match data:
        case Known() | Scalar():
            return {"float": True, "int": False, "bool": False}.get(scalar_type(data))
        case Array(boolean=True):
            return False
        case Tensor():
            return data.floating
        case Reference(target=Container(kind="list" | "tuple") as held) if held.exact:
            return _are_floats([*held.cells.values()]) if held.cells else True
        case _:
            return None


def _kept(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """Whether a result is floating point because operands are."""
    if not tensors:
        return None
    last, first = _last(bound), tensors[0].tensor
    is_of_first = keeps_dtype(last) or bound.operator.result.device is ResultDevice.FIRST
    if is_of_first or bound.operator.rule is DeviceRule.LIKE:
        return None if last in _PARTS and not first.floating else first.floating
    known = [each.tensor.floating for each in tensors if each.name != "condition"]
    if bound.operator.result.floating and True in known:
        return True
    if not promotes_dtypes(last):
        return None
    # A number beside tensors of integers makes them floating point, if it is.
    values = (passed.value for _, passed in bound.arguments)
    known += [_holds_floats(each) for each in values if isinstance(each, (Known, Scalar))]
    return False if set(known) == {False} else None
