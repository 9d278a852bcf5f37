"""The transforms of torchvision, called on an image or on a sample."""

from __future__ import annotations

from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import Reference, Value, changed
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import data

PREFIX = "torchvision.transforms"
_TO_TENSORS = frozenset({"PILToTensor", "ToDtype", "ToImage", "ToImageTensor", "ToTensor"})


def transformed(machine: Machine, transform: Instance, call: Call) -> Value:
    """The result of a transform. One that is composed of transforms of the project as well calls one after
    the other; what others make of an image is a tensor, where it was or on the host."""
    steps = _steps(transform)
    if not any(_is_own(machine, each) for each in steps):
        is_tensor = tensor_of(call.first) is not None or _makes_tensors(transform)
        return _as_tensor(machine, call) if is_tensor else call.first
    for each in steps:
        step = each.target if isinstance(each, Reference) else None
        if not isinstance(step, Instance) or _is_own(machine, each):
            held = machine.call(each, call)
        elif _makes_tensors(step) or tensor_of(call.first) is not None:
            held = _as_tensor(machine, call)
        else:
            continue  # an image stays one, and a sample a sample
        call = call.passing([call.passed[0]._replace(value=held)])
    return call.first


def _steps(transform: Instance) -> list[Value]:
    """The transforms of which one is composed, if they are known."""
    held = transform.arguments.get("transforms", transform.arguments.get("0"))
    if transform.class_name.endswith(".Compose") and isinstance(held, Reference):
        return held.target.items if isinstance(held.target, Container) and held.target.exact else []
    return []


def _makes_tensors(transform: Instance) -> bool:
    """Whether a transform makes tensors of images, which those of which one is composed may do."""
    if not transform.class_name.endswith(".Compose"):
        return transform.class_name.rpartition(".")[2] in _TO_TENSORS
    steps = [each.target for each in _steps(transform) if isinstance(each, Reference)]
    return not steps or any(isinstance(each, Instance) and _makes_tensors(each) for each in steps)


def _is_own(machine: Machine, transform: Value) -> bool:
    """Whether a transform is a function of the project, an object of a class of it, or composed of one."""
    if any(machine.method_of(transform, name) is not None for name in ("__call__", "forward")):
        return True
    held = transform.target if isinstance(transform, Reference) else None
    if isinstance(held, Instance):
        return any(_is_own(machine, each) for each in _steps(held))
    return isinstance(held, Function)


def _as_tensor(machine: Machine, call: Call) -> Value:
    tensor = tensor_of(call.first)
    if tensor is not None:
        return changed(tensor, rank0=False)
    return data.host_tensor(call.site, f"{PREFIX}.ToTensor", machine)
