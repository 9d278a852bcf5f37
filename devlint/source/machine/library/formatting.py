"""Text created from values, for which the host reads tensors."""

from __future__ import annotations

from devlint.model import Cause
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    STRING,
    DeviceValue,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.operators.waits import note_wait

_REPR = "torch.Tensor.__repr__"


def formatted(machine: Machine, held: Value, written: Passed) -> None:
    """Record that a value is formatted, for which the host reads a tensor."""
    for each in alternatives(held):
        _describe(machine, each, written)
        if isinstance(each, Tensor):
            note_wait(machine, written.site, "torch.Tensor.__format__", Cause.FORMAT, each, written, "self")


_DESCRIPTIONS = ("__format__", "__str__", "__repr__")
"""The methods by which a class describes its objects; Python calls the first that it has."""


def _describe(machine: Machine, held: Value, written: Passed) -> None:
    """Let an object of the project describe itself."""
    if not isinstance(held, Reference):
        return
    own = (machine.method_of(held, name) for name in _DESCRIPTIONS)
    method = next((each for each in own if each is not None), None)
    if method is not None:
        machine.call(method, Call([], machine.frame, written.expression))


def _str(machine: Machine, call: Call) -> Value:
    for each in call.passed[:1]:
        for one in alternatives(each.value):
            _describe(machine, one, each)
            if isinstance(one, Tensor):
                note_wait(machine, call.site, _REPR, Cause.FORMAT, one, each, "self")
        if isinstance(each.value, DeviceValue):
            return changed(each.value, is_string=True)
        if isinstance(each.value, Known):
            return Known(str(each.value.value))
        if isinstance(each.value, Scalar) and each.value.type == "str":
            return each.value
    return STRING


def _print(machine: Machine, call: Call) -> Value:
    """Printing, which reads tensors, including those in containers."""
    for each in call.passed:
        if each.keyword:
            continue
        for one in alternatives(each.value):
            _describe(machine, one, each)
            for tensor in _printed(one):
                note_wait(machine, call.site, _REPR, Cause.FORMAT, tensor, each, "self")
    return NONE


def _printed(held: Value) -> list[Tensor]:
    if isinstance(held, Tensor):
        return [held]
    if isinstance(held, Input) and held.evident:
        tensor = tensor_of(held)
        return [] if tensor is None else [tensor]
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return [each for each in held.target.cells.values() if isinstance(each, Tensor)][:1]
    return []


TEXT: dict[str, Handler] = {
    "str": _str,
    "repr": _str,
    "format": _str,
    "print": _print,
}
"""Built-in functions that create text, by their names in Python."""
