"""Objects of torch's layers: their contents, and the devices of their parameters."""

from __future__ import annotations

from devlint.model import Origin, OriginStep, Step
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import as_parameter
from devlint.source.machine.domain.values import (
    FALSE,
    NONE,
    TRUE,
    DeviceValue,
    Reference,
    Tensor,
    Top,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.defaults import default_device
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import WRAPPERS, is_model_of_library, is_module_class
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance
from devlint.source.machine.modules.layers import (
    CONTAINERS_OF_MODULES,
    HOLDERS_OF_PARAMETERS,
    IN_PLACE_AT,
    LOSS_WEIGHTS,
    NORMS_WITHOUT_STATISTICS,
    STATEFUL,
    SWITCHES,
    UNKNOWN_MODULE,
)
from devlint.source.machine.modules.parts import attribute_as_module
from devlint.source.machine.modules.registration import note_built
from devlint.source.machine.modules.state import PARAMETERS, module_of, placement
from devlint.source.machine.operators.devices import wanted

_IN_PLACE = "inplace"
"""The parameter of layers, and the attribute that keeps it, that makes them change their input."""


def make_layer(machine: Machine, name: str, call: Call) -> Value:
    """An object of a class of `torch.nn`."""
    layer = Instance(name, call.site)
    _keep_arguments(layer, name, call)
    reference = machine.adopt(layer)
    if name in WRAPPERS:
        inner = call.value("module", 0) or call.value("model", 0)
        if inner is not None:
            machine.store.write(layer, "module", inner)
    elif name in CONTAINERS_OF_MODULES or name in HOLDERS_OF_PARAMETERS:
        _fill(machine, layer, call)
    else:
        _place_parameters(machine, layer, name, call)
    return reference


def layer_name(layer: Instance) -> str:
    """The class of torch of a layer, or from which it derives."""
    if isinstance(layer.of, str):
        return layer.of
    return next((each for each in layer.of.externals if is_module_class(each)), "torch.nn.Module")


def initialize(machine: Machine, layer: Instance, call: Call) -> None:
    """`super().__init__(...)` of a class that derives from a layer of torch."""
    name = layer_name(layer)
    _keep_arguments(layer, name, call)
    if name in CONTAINERS_OF_MODULES or name in HOLDERS_OF_PARAMETERS:
        _fill(machine, layer, call)
    elif name != "torch.nn.Module":
        _place_parameters(machine, layer, name, call)


def _keep_arguments(layer: Instance, name: str, call: Call) -> None:
    """Keep the arguments of a constructor that were passed by their names, and the one that says whether the
    layer works in place."""
    layer.arguments.update({each.keyword: each.value for each in call.passed if each.keyword})
    position = IN_PLACE_AT.get(name.rpartition(".")[2])
    in_place = None if position is None else call.value(_IN_PLACE, position)
    if in_place is not None:
        layer.arguments[_IN_PLACE] = in_place


def may_work_in_place(machine: Machine, layer: Instance) -> bool:
    """Whether a layer may change its input: it was made so, or the program has set it so since."""
    said = layer.cells.get(_IN_PLACE, layer.arguments.get(_IN_PLACE))
    return said is not None and machine.truth(said) is not False


def _fill(machine: Machine, layer: Instance, call: Call) -> None:
    """`nn.Sequential(a, b)`, `nn.ModuleList([a, b])`, `nn.ModuleDict({"a": a})`, and the same for
    parameters."""
    held: list[tuple[object, Value]] = []
    for each in call.passed:
        listed = _listed(each.value)
        if listed is not None:
            held += listed.items()
        elif each.stars == 0 and layer_name(layer) == "torch.nn.Sequential":
            held.append((len(held), each.value))
        else:
            held.append((ELEMENT, each.value))
    for key, value in held:
        machine.store.write(layer, key, _held(machine, layer, value, call))


def _listed(value: Value) -> dict[object, Value] | None:
    """The elements of a list or a dict, or of one of several; None for anything else."""
    found: dict[object, Value] = {}
    for each in alternatives(value):
        if not isinstance(each, Reference) or not isinstance(each.target, Container):
            return None
        for key, held in each.target.cells.items():
            found[key] = join(found[key], held) if key in found else held
    return found


def _held(machine: Machine, layer: Instance, value: Value, call: Call) -> Value:
    """The elements that a container stores: only modules, or only parameters."""
    if isinstance(value, Tensor):
        return as_parameter(value)
    value = attribute_as_module(machine, value)
    if isinstance(value, (Input, Top)) and layer_name(layer) in CONTAINERS_OF_MODULES:
        made = Instance(UNKNOWN_MODULE, call.site)
        made.stands_for_many = isinstance(value, Top) and value.overflow
        return machine.adopt(made)
    return value


_COPY_THEIR_LAYER = frozenset({"TransformerDecoder", "TransformerEncoder"})
"""Layers that consist of copies of their first argument (torch/nn/modules/transformer.py, `_get_clones`)."""


def _take_state(machine: Machine, layer: Instance, call: Call) -> bool:
    """Put the parameters of a layer where those of its first argument are, if that is known."""
    copied = module_of(call.first)
    state = None if copied is None else placement(copied)
    if state is not None:
        machine.store.write(layer, PARAMETERS, state)
    return state is not None


def _place_parameters(machine: Machine, layer: Instance, name: str, call: Call) -> None:
    for weight, position in LOSS_WEIGHTS.get(name, {}).items():
        held = call.value(weight, position)
        if isinstance(held, Tensor):
            machine.store.write(layer, weight, changed(held, role="buffer"))
    last = name.rpartition(".")[2]
    if last in NORMS_WITHOUT_STATISTICS and FALSE in map(layer.arguments.get, SWITCHES):
        return
    has_statistics = last.startswith("InstanceNorm") and TRUE in map(layer.arguments.get, SWITCHES)
    stateful = last in STATEFUL or has_statistics or is_model_of_library(name)
    if not stateful:
        return
    if last in _COPY_THEIR_LAYER and _take_state(machine, layer, call):
        return
    supplied = call.argument("device")
    target = DeviceValue(default_device(machine))
    if supplied is not None and supplied.value != NONE:
        target = wanted(machine, supplied)
    step = OriginStep(Step.MADE, call.site, target.device, name, implicit=supplied is None)
    state = Tensor(
        target.device,
        Origin((step,)),
        floating=True,
        rank0=False,
        role="parameter",
        serial=new_serial(),
        confidence=target.confidence,
    )
    machine.store.write(layer, PARAMETERS, state)
    note_built(machine, layer, name, target.device, call.site)
