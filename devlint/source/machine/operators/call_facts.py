"""Facts about the arguments of an abstract call, as the shared wait conditions need them."""

from __future__ import annotations

from devlint.operators.wait_conditions import NOT_CONSTANT, Form, ValueFacts
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import (
    NONE,
    Array,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
)
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound


class AbstractCallFacts:
    """The facts about the arguments of an abstract call."""

    def __init__(self, bound: Bound) -> None:
        self._bound = bound
        self.count = len(bound.arguments)

    @property
    def first(self) -> ValueFacts | None:
        """The first operand."""
        return facts(self._bound.arguments[0][1].value) if self._bound.arguments else None

    @property
    def indices(self) -> list[ValueFacts]:
        """The indices."""
        return [facts(passed.value) for argument, passed in self._bound.arguments if argument.index]

    @property
    def written(self) -> ValueFacts | None:
        """The value that is written into the first operand."""
        written = self._bound.written
        return None if written is None else facts(written.value)

    def value(self, name: str, /) -> ValueFacts | None:
        """The argument of this name; None if it is not passed or passed as None."""
        passed = self._bound.passed(name)
        return None if passed is None or passed.value == NONE else facts(passed.value)


def facts(value: Value) -> ValueFacts:
    """The facts about a value. An input counts as a tensor if some use shows that it is one."""
    match value:
        case Tensor(device=device, rank0=rank0, boolean=boolean, shape=shape, source=source):
            rank = None if shape is None else len(shape)
            is_shown = source is None or source.evident or value.assured
            return ValueFacts(Form.TENSOR, NOT_CONSTANT, device, rank0, rank, boolean, is_shown=is_shown)
        case Input(evident=True):
            return ValueFacts(Form.TENSOR, device=value.device, mask=value.boolean)
        case Known(value=constant):
            is_number = isinstance(constant, (int, float, complex))
            return ValueFacts(Form.NUMBER if is_number else Form.OTHER, constant)
        case Scalar():
            return ValueFacts(Form.NUMBER)
        case Array():
            return ValueFacts(Form.ARRAY)
        case Reference(target=Container(kind="list") as several):
            is_list = not any(map(_stands_alone, several.cells.values()))
            return ValueFacts(Form.LIST if is_list else Form.OTHER)
        case _:
            return ValueFacts(Form.OTHER)


def _stands_alone(item: Value) -> bool:
    """Whether an item of a list of indices is an index of its own: a slice, a tensor, None."""
    if isinstance(item, Union):
        return any(map(_stands_alone, item.alternatives))
    return isinstance(item, (Method, Tensor)) or item == NONE
