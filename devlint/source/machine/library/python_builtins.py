"""Python's built-in functions."""

from __future__ import annotations

from devlint.operators import find
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.values import (
    BOOL,
    FLOAT,
    INT,
    SCALAR,
    STRING,
    TOP,
    Array,
    External,
    Known,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.library.builtin_objects import OBJECTS
from devlint.source.machine.library.builtin_sequences import SEQUENCES
from devlint.source.machine.library.formatting import TEXT
from devlint.source.machine.library.handlers import Handler, constant
from devlint.source.machine.library.orders import SORTS
from devlint.source.machine.operators.apply import apply


def _converted(method: str, type_: str) -> Handler:
    """`float(t)`, which reads a tensor and converts a number."""
    python = {"int": int, "float": float, "bool": bool, "str": str}[type_]

    def handler(machine: Machine, call: Call) -> Value:
        if not call.passed:
            return Known(python())
        held = call.first
        for each in alternatives(held):
            operator = find(f"torch.Tensor.{method}") if isinstance(each, (Tensor, Input)) else None
            if operator is not None:
                apply(machine, call.site, operator, [call.passed[0]._replace(value=each)])
        if isinstance(held, Known) and len(call.passed) == 1:
            try:
                value = python(held.value)
                return changed(held, value=value) if isinstance(held, Option) else Known(value)
            except (TypeError, ValueError, OverflowError):
                return Scalar(type_)
        if isinstance(held, Scalar):
            same = type_ in ("bool", "int") and held.flag
            return held if same else Scalar(type_, counter=held.counter, periodic=held.periodic)
        return Scalar(type_)

    return handler


def _rounded(machine: Machine, call: Call) -> Value:
    held = call.first
    return held if isinstance(held, (Tensor, Union)) else SCALAR


def _absolute(machine: Machine, call: Call) -> Value:
    held = call.first
    operator = find("torch.abs")
    if isinstance(held, Tensor) and operator is not None:
        return apply(machine, call.site, operator, call.passed)
    return held if isinstance(held, Array) else SCALAR


def _import(machine: Machine, call: Call) -> Value:
    """`__import__("torch")`: the module; for a name with dots, its top-level package."""
    name = call.first.value if isinstance(call.first, Known) else None
    return External(name.partition(".")[0]) if isinstance(name, str) else TOP


BUILTINS: dict[str, Handler] = {
    f"builtins.{name}": handler
    for name, handler in {
        **SEQUENCES,
        **SORTS,
        **OBJECTS,
        **TEXT,
        "__import__": _import,
        "float": _converted("__float__", "float"),
        "int": _converted("__int__", "int"),
        "bool": _converted("__bool__", "bool"),
        "issubclass": constant(BOOL),
        "round": _rounded,
        "abs": _absolute,
        "id": constant(INT),
        "hash": constant(INT),
        "ord": constant(INT),
        "chr": constant(STRING),
        "input": constant(STRING),
        "open": constant(TOP),
        "pow": constant(FLOAT),
        "divmod": constant(TOP),
    }.items()
}
