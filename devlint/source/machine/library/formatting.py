"""Text created from values, for which the host reads tensors."""

from __future__ import annotations

from devlint.model import Cause
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    STRING,
    DeviceValue,
    Input,
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
        if isinstance(each, Tensor):
            note_wait(machine, written.site, "torch.Tensor.__format__", Cause.FORMAT, each, written, "self")


def _str(machine: Machine, call: Call) -> Value:
    for each in call.passed[:1]:
        for one in alternatives(each.value):
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
