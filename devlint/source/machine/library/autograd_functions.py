"""Subclasses of `torch.autograd.Function`: `apply` calls the class's `forward`; its `backward` is called
later."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import NONE, TOP, Reference, Tensor, Value, changed
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance

_BASES = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
CONTEXT = "torch.autograd.function.FunctionCtx"


def is_autograd_function(externals: Iterable[str]) -> bool:
    """Whether a class with these bases outside the project is an autograd function."""
    return not _BASES.isdisjoint(externals)


def apply(machine: Machine, made: Class, call: Call) -> Value:
    """`Function.apply(...)`: the result of `forward`, which first receives a context unless `setup_context`
    is defined (torch/autograd/function.py)."""
    forward = _static(made, "forward")
    if forward is None:
        return machine.presumed(call)
    context = Passed(machine.adopt(Instance(CONTEXT, call.site)), call.node, call.site)
    separate = class_lookup(made, "setup_context")[0] is not None
    returned = machine.call(forward, call if separate else call.passing([context, *call.passed]))
    if returned == TOP:
        return machine.presumed(call)
    if not separate:
        _go_back(machine, made, context, returned, call)
    return returned


def _go_back(machine: Machine, made: Class, context: Passed, returned: Value, call: Call) -> None:
    """Call `backward` as it will be called for the results of `forward`: gradients are on their devices."""
    backward = _static(made, "backward")
    held = returned.target if isinstance(returned, Reference) else None
    outputs = held.items if isinstance(held, Container) and held.exact else [returned]
    if backward is None or not all(isinstance(each, Tensor) for each in outputs):
        return
    gradients = [changed(each, role="", attribute="", serial=new_serial()) for each in outputs]
    passed = [context, *(Passed(each, call.node, call.site) for each in gradients)]
    machine.call(backward, call.passing(passed))


def call_context(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """`ctx.save_for_backward(...)`, which sets `ctx.saved_tensors`."""
    if name == "save_for_backward" and not any(each.stars for each in call.passed):
        saved = Container("tuple", [each.value for each in call.passed])
        machine.store.write(target, "saved_tensors", machine.adopt(saved))
    return NONE


def _static(made: Class, name: str) -> Value | None:
    """A method that is called without an object: a static method, or a class method."""
    held, _ = class_lookup(made, name)
    function = held.target if isinstance(held, Reference) else None
    if not isinstance(function, Function):
        return None
    if "classmethod" in function.marks:
        return Reference(BoundMethod(function, Reference(made)))
    return held if "staticmethod" in function.marks else None
