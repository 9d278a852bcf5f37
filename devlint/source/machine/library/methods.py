"""Methods of what the project does not define: the receiver decides."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU, Cause, Confidence, Device, SiteId
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.values import (
    NONE,
    STRING,
    TOP,
    Array,
    External,
    GeneratorValue,
    Input,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    changed,
    tensor_of,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, GeneratorObject, Instance
from devlint.source.machine.library import data, distributions, parsers, workers
from devlint.source.machine.library.container_methods import call_container, call_string
from devlint.source.machine.library.formatting import formatted
from devlint.source.machine.library.host_operations import host_operation
from devlint.source.machine.library.module_methods import call_module_method
from devlint.source.machine.library.numpy_results import method_result
from devlint.source.machine.library.tensor_methods import backward, call_tensor
from devlint.source.machine.modules.state import is_module
from devlint.source.machine.operators import accelerator
from devlint.source.machine.operators.apply import on_one_path
from devlint.source.machine.operators.binding import value_of
from devlint.source.machine.operators.moves import MOVES, target_of
from devlint.source.machine.operators.waits import note_explicit, note_wait
from devlint.source.walk import text

_OPTIMIZERS = "torch.optim."
_SCALERS = frozenset(
    {"torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler"}
)
_SYNCHRONIZES = frozenset({"torch.cuda.Event", "torch.cuda.Stream", "torch.Event", "torch.Stream"})
PLACERS = frozenset(
    {"accelerate.Accelerator", "accelerate.accelerator.Accelerator", "lightning.Fabric",
     "lightning.fabric.Fabric",
     "lightning_fabric.Fabric"}
)  # fmt: skip
"""Classes whose objects put modules, loaders and tensors on their device."""
_PLACES = frozenset(
    {
        "prepare",
        "prepare_model",
        "prepare_data_loader",
        "setup",
        "setup_module",
        "setup_dataloaders",
        "to_device",
    }
)
_PASSES_ON = frozenset({"unwrap_model", "gather", "gather_for_metrics", "reduce", "prepare_optimizer"})


_NAMED = frozenset({"items", "named_parameters", "named_buffers"})
"""Methods that give what they find with its name."""


def call(
    machine: Machine, receiver: Value, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """`receiver.name(...)`."""
    match receiver:
        case Tensor() | Input():
            return _of_tensor(machine, receiver, name, passed, frame, node)
        case Reference(target=target):
            return _of_object(machine, target, receiver, name, passed, frame, node)
        case Known() | Scalar():
            if name == "format":
                for each in passed:
                    formatted(machine, each.value, each)
            return call_string(machine, receiver, name, passed)
        case Array():
            return _of_array(machine, receiver, name, passed, frame, node)
        case Union(alternatives=members):
            passed = on_one_path(receiver, passed)
            return join_all(
                call(machine, each, name, passed, frame, node) for each in members if each != NONE
            )
        case GeneratorValue():
            return receiver if name in ("manual_seed", "seed") else TOP
        case _:
            return _of_unknown(machine, receiver, name, passed, frame, node)


def _of_tensor(
    machine: Machine,
    receiver: Tensor | Input,
    name: str,
    passed: Sequence[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    if isinstance(receiver, Input):
        if name in ("train", "eval", "requires_grad_", "half", "float") and not receiver.evident:
            return receiver
        if name in _NAMED:
            return _with_names(machine, receiver, frame.site(node))
        if name in ("keys", "values", "parameters", "get"):
            return receiver
    return call_tensor(machine, receiver, name, passed, frame, node)


def _with_names(machine: Machine, receiver: Input, site: SiteId) -> Value:
    """What an input holds, each with its name."""
    pairs = Instance("builtins.zip", site)
    names = machine.adopt(Container("list", element=STRING))
    pairs.arguments = {"0": names, "1": receiver}
    return machine.adopt(pairs)


def _trained(machine: Machine) -> None:
    if machine.around.loop is not None:
        machine.around.loop.trained = True


def _of_unknown(
    machine: Machine, receiver: Value, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if name == "backward":
        return backward(machine, receiver)
    if name in MOVES and name not in ("type", "cpu", "type_as"):
        target = target_of(machine, name, passed, frame.site(node))
        if target.place is not None and target.place.device != CPU:
            confidence = least_sure(target.place.confidence, Confidence.LIKELY)
            return Input(text(node), target.place.device, confidence, born=machine.around.loop, presumed=True)
    if isinstance(receiver, External):
        return machine.call(External(f"{receiver.name}.{name}"), passed, frame, node)
    return machine.presumed(passed, node)


def _of_object(
    machine: Machine,
    target: Object,
    receiver: Value,
    name: str,
    passed: Sequence[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    if isinstance(target, Container):
        return call_container(machine, target, name, passed, frame, node)
    if isinstance(target, GeneratorObject):
        return (
            join_all(machine.elements(receiver, frame, node).items) if name in ("send", "__next__") else NONE
        )
    if isinstance(target, Instance):
        return _of_instance(machine, target, receiver, name, passed, frame, node)
    if isinstance(target, Class):
        return _of_class(machine, target, receiver, name, passed, frame, node)
    return TOP


def _of_class(
    machine: Machine,
    target: Class,
    receiver: Value,
    name: str,
    passed: Sequence[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    """What a class has from bases outside the project: another constructor makes one of it, most likely."""
    if name in ("from_pretrained", "load_from_checkpoint", "from_config"):
        return machine.call(receiver, [], frame, node)
    if name == "_make" and "namedtuple" in target.marks:
        return machine.call(receiver, passed, frame, node)
    return TOP


def _of_instance(
    machine: Machine,
    target: Instance,
    receiver: Value,
    name: str,
    passed: Sequence[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    if is_module(target):
        found = call_module_method(machine, target, receiver, name, passed, frame, node)
        if found is not None:
            return found
    of = target.of
    externals = (of,) if isinstance(of, str) else of.externals
    if any(each.startswith(_OPTIMIZERS) and "lr_scheduler" not in each for each in externals):
        return _of_optimizer(machine, target, name, passed, frame, node)
    if any(each.endswith(".ReduceLROnPlateau") for each in externals) and name == "step":
        return _of_plateau(machine, passed, frame, node)
    if _SCALERS & set(externals):
        return _of_scaler(machine, name, passed, frame, node)
    if _SYNCHRONIZES & set(externals):
        if name == "synchronize":
            note_explicit(machine, frame.site(node), f"{externals[0]}.synchronize")
        return TOP
    if any(each.startswith(distributions.PREFIX) for each in externals):
        return distributions.call(machine, target, name, passed, frame, node)
    if PLACERS & set(externals):
        return _of_placer(machine, target, name, passed, frame, node)
    if workers.is_process(externals):
        return workers.call_process(machine, target, name, frame, node)
    if parsers.is_parser(externals):
        return parsers.call(machine, target, receiver, name, passed, frame, node)
    if data.is_loader(externals) or data.is_dataset(externals):
        return data.call(machine, target, receiver, name, passed, frame, node)
    if "namedtuple" in (of.marks if isinstance(of, Class) else ()):
        return _of_record(machine, target, receiver, name, passed, frame, node)
    if isinstance(of, Class) and of.externals and "?" not in of.externals and name == "__init__":
        return NONE
    if name in ("to", "cuda", "cpu") and isinstance(of, str):
        return receiver
    _note_read_values(machine, name, passed, frame)
    return machine.presumed(passed, node)


def _note_read_values(machine: Machine, name: str, passed: Sequence[Passed], frame: Frame) -> None:
    """Writers of logs read what they are given."""
    if name in ("add_scalar", "log_metric"):
        for each in passed[1:2]:
            if isinstance(each.value, Tensor):
                operator = "torch.utils.tensorboard.SummaryWriter.add_scalar"
                note_wait(machine, each.site, operator, Cause.HOST_READ, each.value, each)


def _of_record(
    machine: Machine,
    target: Instance,
    receiver: Value,
    name: str,
    passed: Sequence[Passed],
    frame: Frame,
    node: ir.Expression,
) -> Value:
    if name == "_replace":
        made = Instance(target.of, frame.site(node))
        made.cells.update(target.cells)
        made.cells.update({each.keyword: each.value for each in passed if each.keyword})
        return machine.adopt(made)
    if name == "_asdict":
        held = Container("dict")
        held.cells.update(target.cells)
        return machine.adopt(held)
    return TOP


def _of_optimizer(
    machine: Machine, target: Instance, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if name == "step":
        _trained(machine)
        accelerator.work(machine, *_devices_of(target))
        closure = value_of(passed, "closure", 0)
        if closure is not None and closure != NONE:
            return machine.call(closure, [], frame, node)
        return NONE
    if name == "__init__":
        return NONE
    return TOP


def _devices_of(optimizer: Instance) -> list[Device]:
    """Where the parameters lie that an optimizer was given."""
    held = optimizer.arguments.get("params", optimizer.arguments.get("0"))
    if not isinstance(held, Reference) or not isinstance(held.target, Container):
        return []
    return [tensor.device for each in held.target.cells.values() if (tensor := tensor_of(each)) is not None]


def _of_plateau(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """The scheduler makes a number of the metric (torch/optim/lr_scheduler.py, `ReduceLROnPlateau.step`)."""
    for each in passed[:1]:
        tensor = tensor_of(each.value)
        if tensor is not None and isinstance(each.value, Tensor):
            name = "torch.optim.lr_scheduler.ReduceLROnPlateau.step"
            note_wait(machine, frame.site(node), name, Cause.HOST_READ, tensor, each)
    return NONE


def _of_scaler(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if name == "scale" and passed:
        return passed[0].value
    if name == "step":
        _trained(machine)
    return TOP


def _of_placer(
    machine: Machine, target: Instance, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """`accelerator.prepare(model, optimizer, loader)`: each on the device of the accelerator."""
    if name == "backward":
        return backward(machine, passed[0].value if passed else TOP)
    if name in _PASSES_ON and passed:
        return passed[0].value
    if name not in _PLACES:
        return TOP
    placed = [
        machine.placed(each.value, machine.accelerator, frame.site(node))
        for each in passed
        if not each.keyword
    ]
    return placed[0] if len(placed) == 1 else machine.adopt(Container("tuple", placed))


def _of_array(
    machine: Machine, receiver: Array, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    host_operation(machine, f"numpy.ndarray.{name}", passed, frame, node)
    return method_result(receiver, name, passed)


def call_instance(
    machine: Machine, instance: Instance, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """The call of an object of a class outside the project."""
    name = instance.class_name
    if name == "operator.itemgetter":
        return machine.presumed(passed, node)
    if name.startswith("torchvision.transforms"):
        return _transformed(machine, passed, frame, node)
    if name in ("torch.vmap", "torch.func.vmap", "torch.func.grad"):
        return TOP
    if name.startswith("torch.") and isinstance(instance.of, str) and passed:
        # A context manager used as a decorator, `torch.no_grad()(function)`, hands it on.
        first = passed[0].value
        if isinstance(first, Reference):
            return first
    return machine.presumed(passed, node)


def _transformed(machine: Machine, passed: Sequence[Passed], frame: Frame, node: ir.Expression) -> Value:
    """An image as a tensor: where it was, or on the host."""
    first = passed[0].value if passed else TOP
    tensor = tensor_of(first)
    if tensor is not None:
        return changed(tensor, rank0=False)
    return data.host_tensor(frame.site(node), "torchvision.transforms.ToTensor", machine)
