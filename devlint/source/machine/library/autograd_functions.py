"""Subclasses of `torch.autograd.Function`: `apply` calls the class's own `forward`."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.source.machine.domain.values import TOP, Reference, Value
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import BoundMethod, Instance

_BASES = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
_CONTEXT = "torch.autograd.function.FunctionCtx"


def is_autograd_function(externals: Iterable[str]) -> bool:
    """Whether a class with these bases outside the project is a function of autograd."""
    return not _BASES.isdisjoint(externals)


def apply(machine: Machine, made: Class, call: Call) -> Value:
    """`Function.apply(...)`: what `forward` returns. It is given a context first, unless `setup_context` is
    (torch/autograd/function.py)."""
    forward = _forward(made)
    if forward is None:
        return machine.presumed(call)
    context = Passed(machine.adopt(Instance(_CONTEXT, call.site)), call.node, call.site)
    separate = class_lookup(made, "setup_context")[0] is not None
    returned = machine.call(forward, call if separate else call.passing([context, *call.passed]))
    return machine.presumed(call) if returned == TOP else returned


def _forward(made: Class) -> Value | None:
    """The method that `apply` calls: a static method, or one of the class."""
    held, _ = class_lookup(made, "forward")
    function = held.target if isinstance(held, Reference) else None
    if not isinstance(function, Function):
        return None
    if "classmethod" in function.marks:
        return Reference(BoundMethod(function, Reference(made)))
    return held if "staticmethod" in function.marks else None
