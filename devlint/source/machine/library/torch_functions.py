"""Functions and classes of torch that are no operators: devices, defaults, loading, compilation."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import (
    CPU,
    UNKNOWN,
    Concrete,
    Confidence,
    Origin,
    OriginStep,
    SettingKind,
    Step,
)
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.values import (
    INT,
    NONE,
    TOP,
    DeviceValue,
    GeneratorValue,
    Input,
    Known,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    changed,
    tensor_of,
)
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler, constant, first_argument
from devlint.source.machine.library.names import external_name
from devlint.source.machine.modules.state import copied
from devlint.source.machine.operators import implicit
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.binding import keyword, value_of
from devlint.source.machine.operators.devices import make_device, wanted
from devlint.source.walk import walk


def _device(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    return make_device(machine, passed, node)


def _available(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    return Scalar("bool", availability=True)


def _unavailable(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """Another kind of accelerator than the one that is assumed."""
    return Known(value=False)


def _mps_unavailable(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    machine.process.facts.asks_for_mps = True
    return Known(value=False)


def _device_count(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    return Scalar("int", availability=True)


def _current_device(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    return INT if machine.current_device is None else Known(machine.current_device)


def _set_device(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    machine.process.facts.chooses_device = True
    place = wanted(machine, passed[0]) if passed else DeviceValue(UNKNOWN)
    if isinstance(place.device, Concrete) and place.device.index is not None:
        machine.current_device = place.device.index
    return NONE


def _set_default_device(
    machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if passed:
        machine.default_device = CPU if passed[0].value == NONE else wanted(machine, passed[0]).device
    return NONE


def _set_default_type(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = passed[0].value if passed else TOP
    name = held.value if isinstance(held, Known) else getattr(held, "name", "")
    if isinstance(name, str) and ".cuda." in name:
        machine.default_device = Concrete("cuda")
        machine.setting(SettingKind.LEGACY_TYPE, frame.site(node), name)
    elif isinstance(name, str) and name:
        machine.default_device = CPU
    return NONE


def _device_context(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    machine.process.facts.chooses_device = True
    made = Instance("torch.cuda.device", frame.site(node))
    if passed:
        made.arguments["device"] = passed[0].value
    return machine.adopt(made)


def _generator(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    given = keyword(passed, "device", 0)
    place = DeviceValue(CPU) if given is None else wanted(machine, given)
    step = OriginStep(Step.MADE, frame.site(node), place.device, "torch.Generator", implicit=given is None)
    return GeneratorValue(place.device, Origin((step,)), place.confidence)


def _parameter(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = value_of(passed, "data", 0)
    tensor = None if held is None else tensor_of(held)
    if tensor is None:
        return Tensor(UNKNOWN, role="parameter")
    implicit.settled(machine, tensor)
    return changed(tensor, role="parameter", attribute="")


def _buffer(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = _parameter(machine, passed, frame, node)
    return changed(held, role="buffer") if isinstance(held, Tensor) else held


def _load(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """What was saved lies where `map_location` says; without it where it lay when it was saved."""
    location = keyword(passed, "map_location", 1)
    if location is None:
        if not any(each.stars == 2 for each in passed):
            machine.loads.append((frame.site(node), "torch.load", _restores(frame, node)))
        return machine.saved[-1] if len(machine.saved) == 1 else TOP
    if isinstance(location.value, Reference | Union) or location.value == NONE:
        return TOP
    place = wanted(machine, location)
    if place.device == UNKNOWN:
        return TOP
    step = OriginStep(Step.MADE, frame.site(node), place.device, "torch.load")
    return Input("checkpoint", place.device, Confidence.LIKELY, Origin((step,)))


def _restores(frame: Frame, node: ir.Expression) -> str:
    """`load_state_dict`, where the statement gives what is loaded to that,
    which copies it to where it is wanted."""
    if frame.statement is not None:
        for each in walk((frame.statement,)):
            match each:
                case ir.Call(function=ir.Attribute(name="load_state_dict"), arguments=(first, *_)):
                    if first.value is node:
                        return "load_state_dict"
    return ""


def _split(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`random_split(dataset, lengths)`."""
    made = Instance("torch.utils.data.Subset", frame.site(node))
    if passed:
        made.cells["dataset"] = passed[0].value
    return machine.adopt(Container("list", element=machine.adopt(made)))


def _legacy_type(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`torch.cuda.FloatTensor(...)`."""
    name = external_name(machine, node)
    site = frame.site(node)
    machine.setting(SettingKind.LEGACY_TYPE, site, name)
    step = OriginStep(Step.MADE, site, Concrete("cuda"), name)
    return Tensor(Concrete("cuda"), Origin((step,)), rank0=False, born=machine.around.loop)


def _clip(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    operator = find("torch.nn.utils.clip_grad_norm_")
    return TOP if operator is None else apply(machine, frame.site(node), operator, passed)


def _checkpoint(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`checkpoint(function, *args)` calls the function."""
    given = [each for each in passed[1:] if not each.keyword or each.keyword not in _CHECKPOINT_OPTIONS]
    return machine.call(passed[0].value, given, frame, node) if passed else TOP


_CHECKPOINT_OPTIONS = frozenset(
    {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"}
)


def _compiled(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    return passed[0].value if passed else TOP


def _gradients(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`torch.autograd.grad(outputs, inputs)`: a gradient for each input, where that lies."""
    outputs, inputs = value_of(passed, "outputs", 0), value_of(passed, "inputs", 1)
    for each, other in ((outputs, value_of(passed, "grad_outputs", 2)),):
        _note_gradient(machine, each, other, passed, frame, node)
    if isinstance(inputs, Tensor):
        return machine.adopt(Container("tuple", [changed(inputs, role="", rank0=None, shape=None)]))
    if isinstance(inputs, Reference) and isinstance(inputs.target, Container):
        twin = Container("tuple")
        twin.cells = {
            key: changed(each, role="") if isinstance(each, Tensor) else each
            for key, each in inputs.target.cells.items()
        }
        return machine.adopt(twin)
    return TOP


def _note_gradient(
    machine: Machine,
    output: Value | None,
    gradient: Value | None,
    passed: Sequence[Passed],
    frame: Frame,
    node: ir.Expression,
) -> None:
    """A gradient that is given has to lie beside the output that it is of."""
    if not isinstance(output, Tensor) or not isinstance(gradient, Tensor):
        return
    operator = find("torch.add")
    given = [each for each in passed if each.value is output or each.value is gradient]
    if operator is not None and len(given) == 2 and gradient.rank0 is not True:
        apply(machine, frame.site(node), operator, [each._replace(keyword="") for each in given])


def _autograd_backward(
    machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if machine.around.loop is not None:
        machine.around.loop.trained = True
    return NONE


def _spawn(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """`mp.spawn(worker, args=(world_size,))` calls the worker with its rank first."""
    if not passed:
        return TOP
    held = value_of(passed, "args", 1)
    given = [Passed(Scalar("int"), node, frame.site(node))]
    if isinstance(held, Reference) and isinstance(held.target, Container):
        given += [Passed(each, node, frame.site(node)) for each in held.target.items]
    machine.call(passed[0].value, given, frame, node)
    return TOP


def _is_tensor(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    held = passed[0].value if passed else TOP
    if isinstance(held, Tensor):
        return Known(value=True)
    return Scalar("bool") if isinstance(held, Input | Union | Top) else Known(value=False)


def _sparse(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """A sparse tensor lies where its values do (torch/csrc/utils/tensor_new.cpp)."""
    given = keyword(passed, "device")
    if given is not None and given.value != NONE:
        place = wanted(machine, given)
        step = OriginStep(Step.MADE, frame.site(node), place.device, "torch.sparse_coo_tensor")
        return Tensor(place.device, Origin((step,)), rank0=False, born=machine.around.loop)
    values = tensor_of(passed[1].value) if len(passed) > 1 else None
    return Tensor(UNKNOWN) if values is None else changed(values, rank0=False, role="", attribute="")


def _unavailable_kind(kind: str) -> dict[str, Handler]:
    return {f"torch.{kind}.is_available": _unavailable, f"torch.{kind}.device_count": constant(Known(0))}


def _accelerator(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    return DeviceValue(Concrete("cuda"))


def _save(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """What is saved lies, when it is loaded, where it lay."""
    if passed:
        held = copied(machine, passed[0].value, frame.site(node))
        machine.saved = [held] if machine.around.loop is None else [*machine.saved, held]
    return NONE


TORCH: dict[str, Handler] = {
    "torch.device": _device,
    "torch.cuda.is_available": _available,
    "torch.accelerator.is_available": _available,
    "torch.accelerator.current_accelerator": _accelerator,
    "torch.cuda.device_count": _device_count,
    "torch.accelerator.device_count": _device_count,
    "torch.cuda.current_device": _current_device,
    "torch.cuda.set_device": _set_device,
    "torch.cuda.device": _device_context,
    "torch.cuda.is_bf16_supported": constant(Scalar("bool")),
    "torch.set_default_device": _set_default_device,
    "torch.set_default_tensor_type": _set_default_type,
    "torch.backends.mps.is_available": _mps_unavailable,
    "torch.backends.mps.is_built": _mps_unavailable,
    "torch.mps.is_available": _mps_unavailable,
    **_unavailable_kind("xpu"),
    **_unavailable_kind("npu"),
    **_unavailable_kind("hpu"),
    **_unavailable_kind("mtia"),
    "torch.Generator": _generator,
    "torch.nn.Parameter": _parameter,
    "torch.nn.parameter.Parameter": _parameter,
    "torch.nn.Buffer": _buffer,
    "torch.autograd.Variable": first_argument,
    "torch.load": _load,
    "torch.save": _save,
    "torch.utils.data.random_split": _split,
    "torch.nn.utils.clip_grad_norm_": _clip,
    "torch.nn.utils.clip_grad_norm": _clip,
    "torch.nn.utils.clip_grad_value_": constant(NONE),
    "torch.nn.utils.spectral_norm": first_argument,
    "torch.nn.utils.weight_norm": first_argument,
    "torch.nn.utils.parametrizations.spectral_norm": first_argument,
    "torch.nn.utils.parametrizations.weight_norm": first_argument,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.compile": _compiled,
    "torch.jit.script": _compiled,
    "torch.jit.trace": _compiled,
    "torch.autograd.grad": _gradients,
    "torch.autograd.backward": _autograd_backward,
    "torch.multiprocessing.spawn": _spawn,
    "torch.is_tensor": _is_tensor,
    "torch.sparse_coo_tensor": _sparse,
    "torch.sparse.FloatTensor": _sparse,
    **{
        f"torch.cuda.{kind}Tensor": _legacy_type
        for kind in ("Float", "Double", "Half", "BFloat16", "Int", "Long", "Short", "Byte", "Char", "Bool")
    },
}
