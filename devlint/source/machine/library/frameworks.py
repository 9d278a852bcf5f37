"""Objects that frameworks and libraries of models return: values moved to a device, and models."""

from __future__ import annotations

from devlint.model import CPU, Confidence, Device, OriginStep, SiteId, Step
from devlint.source.machine.domain import inputs
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.tensors import as_parameter
from devlint.source.machine.domain.values import DeviceValue, Reference, Tensor, Union, Value, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import data
from devlint.source.machine.modules import state
from devlint.source.machine.modules.construction import make_layer
from devlint.source.machine.modules.layers import UNKNOWN_MODULE


def placed(machine: Machine, held: Value, device: Device, site: SiteId) -> Value:
    """The result of a framework's function that moves its arguments to the framework's device."""
    match held:
        case Tensor():
            return changed(held, device=device, pinned=None)
        case Input():
            return inputs.placed(held, device, Confidence.LIKELY, held.born)  # by convention
        case Union(alternatives=members):
            return join_all(placed(machine, each, device, site) for each in members)
        case Reference(target=Container() as container):
            made = Container(container.kind)
            made.cells = {key: placed(machine, each, device, site) for key, each in container.cells.items()}
            return machine.adopt(made)
        case Reference(target=Instance() as instance):
            names = (instance.of,) if isinstance(instance.of, str) else instance.of.externals
            if state.is_module(instance):
                state.move(machine, instance, DeviceValue(device), site, "torch.nn.Module.to")
            elif data.is_loader(names):
                twin = Instance(instance.of, site)
                twin.cells = dict(instance.cells)
                twin.arguments = {**instance.arguments, data.PLACED: DeviceValue(device)}
                return machine.adopt(twin)
            return held
        case _:
            return held


def pretrained(machine: Machine, name: str, call: Call, confidence: Confidence = Confidence.CERTAIN) -> Value:
    """A module of a class that is not read, which a library makes or loads on the host."""
    reference = make_layer(machine, UNKNOWN_MODULE, call.passing([]))
    assert isinstance(reference, Reference)
    assert isinstance(reference.target, Instance)
    step = OriginStep(Step.MADE, call.site, CPU, name, implicit=True)
    held = as_parameter(Tensor(CPU, Tensor().origin.then(step), rank0=False, confidence=confidence))
    reference.target.cells[state.PARAMETERS] = held
    return reference
