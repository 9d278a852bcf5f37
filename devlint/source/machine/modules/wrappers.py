"""Wrappers of modules, which hand their inputs to the devices of the module's copies."""

from __future__ import annotations

from collections.abc import Callable

from devlint.model import CPU, UNKNOWN, Concrete, Confidence, Device
from devlint.source.machine.domain.inputs import Input, placed
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import NONE, TOP, Reference, Tensor, Union, Value, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import PARALLEL
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.modules.state import module_of, place, placement
from devlint.source.machine.operators import accelerator


def call_wrapped(machine: Machine, layer: Instance, name: str, call: Call) -> Value:
    """The result of a wrapper: that of the module that it wraps, for what it hands on."""
    inner = layer.cells.get("module", TOP)
    if name in PARALLEL or _is_given_devices(layer):
        state = placement(layer)
        device = UNKNOWN if state is None else state.device
        passed = [each._replace(value=_scattered(machine, each.value, device)) for each in call.passed]
        call = call.passing(passed)
        module = module_of(inner)
        if module is not None and name in PARALLEL:
            _call_replica(machine, module, inner, call)
    return machine.call(inner, call)


def _is_given_devices(layer: Instance) -> bool:
    """Whether a wrapper is told the device of its module, to which it moves its inputs
    (torch/nn/parallel/distributed.py, `_pre_forward`)."""
    supplied = layer.arguments.get("device_ids", layer.arguments.get("1"))
    return supplied not in (None, NONE)


def _call_replica(machine: Machine, module: Instance, inner: Value, call: Call) -> None:
    """Call the module's copy on the second device, if there are several devices. It is the current one
    meanwhile (torch/nn/parallel/parallel_apply.py)."""
    if not machine.world.get(accelerator.SEVERAL_DEVICES):
        return
    second = Concrete("cuda", 1)
    machine.store.begin()
    place(machine, module, second, Confidence.CERTAIN)
    there = [each._replace(value=_put(machine, each.value, lambda _: second)) for each in call.passed]
    before, machine.current_device = machine.current_device, 1
    machine.call(inner, call.passing(there))
    machine.current_device = before
    machine.store.end()


def _scattered(machine: Machine, held: Value, device: Device) -> Value:
    """What a wrapper hands on: tensors of the host are copied to a device, in lists and dicts as well
    (torch/nn/parallel/scatter_gather.py, `scatter`)."""
    return _put(machine, held, lambda before: device if before == CPU else before)


def _put(
    machine: Machine,
    held: Value,
    target: Callable[[Device], Device],
    within: frozenset[Container] = frozenset(),
) -> Value:
    """A value whose tensors are where `target` says for the device of each. `within` are the containers that
    hold it, of which one may hold itself."""
    match held:
        case Tensor(device=before) if target(before) != before:
            return changed(held, device=target(before), serial=new_serial())
        case Input(device=before, refuted=False) if target(before) != before:
            return placed(held, target(before), held.confidence, held.born)
        case Union(alternatives=members):
            return join_all(_put(machine, each, target, within) for each in members)
        case Reference(target=Container(kind="list" | "tuple" | "dict") as container) if (
            container not in within
        ):
            around = within | {container}
            cells = {key: _put(machine, each, target, around) for key, each in container.cells.items()}
            if all(cells[key] is each for key, each in container.cells.items()):
                return held
            made = Container(container.kind)
            made.cells = cells
            return machine.adopt(made)
        case _:
            return held
