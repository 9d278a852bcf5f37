"""Functions that test the type of a value: their results, and what a result shows about an input."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU
from devlint.source.machine.domain.inputs import Input, container, placed, twin, whole
from devlint.source.machine.domain.kinds import OF_CUDA
from devlint.source.machine.domain.values import ARRAY, External, Known, Reference, Scalar, Value
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.members import has_attribute, is_scalar
from devlint.source.machine.transfer.instances import (
    CONTAINERS,
    MAPPINGS,
    NO_DEVICE,
    TENSOR_CLASSES,
    is_one,
    is_tensor_type,
)

_TENSOR = External("torch.Tensor")
PREDICATES = frozenset({"isinstance", "hasattr", "is_tensor", "isscalar"})
"""The last names of the functions that test the type of a value."""


def shown_to_be(held: Input, function: str, others: Sequence[Value]) -> Value:
    """An input after a positive result of a function; the input itself if several types are possible."""
    if _asks_for_tensor(function, others):
        made = twin(held)
        made.asked = True
        return made
    match function, others:
        case "builtins.isinstance", [Reference(target=Container(items=[_, *_] as classes))]:
            shown = [shown_to_be(held, function, [each]) for each in classes]
            if all(isinstance(each, Input) and each.sized for each in shown):
                return container(held)
            return whole(held) if all(isinstance(each, Input) and each.refuted for each in shown) else held
        case "builtins.isinstance", [Reference(target=Class(externals=()))]:
            return whole(held)
        case "builtins.isinstance", [External(name="numpy.ndarray")]:
            return ARRAY
        case "builtins.isinstance", [External(name=name)]:
            kind = name.removeprefix("builtins.")
            if kind in CONTAINERS or name in MAPPINGS:
                return container(held)
            if kind in NO_DEVICE:
                return Scalar(kind)
            if is_tensor_type(name) and not name.startswith(OF_CUDA):
                made = placed(held, CPU, held.confidence, held.born)
                made.evident = True
                return made
            return held if name.startswith("torch.") else whole(held)
        case _:
            return held


def shown_not_to_be(held: Input, function: str, others: Sequence[Value]) -> Value:
    """An input after a negative result of a function: none of the tested tensor types."""
    match others:
        case [Reference(target=Container(items=classes))]:
            asks = any(_asks_for_tensor(function, [each]) for each in classes)
        case _:
            asks = _asks_for_tensor(function, others)
    return whole(held) if asks else held


def _asks_for_tensor(function: str, others: Sequence[Value]) -> bool:
    match function, others:
        case "torch.is_tensor", _:
            return True
        case "builtins.isinstance", [External(name=name)]:
            return name in TENSOR_CLASSES
        case _:
            return False


def answer(function: str, held: Value, others: Sequence[Value]) -> bool | None:
    """The result of a function for a value and other arguments; None if it is not known."""
    match function, others:
        case "builtins.isinstance", [classes]:
            return is_one(held, classes)
        case "torch.is_tensor", []:
            return is_one(held, _TENSOR)
        case "numpy.isscalar", []:
            return is_scalar(held)
        case "builtins.hasattr", [Known(value=str(name))]:
            return has_attribute(held, name)
        case _:
            return None
