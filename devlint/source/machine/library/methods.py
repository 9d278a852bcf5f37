"""Methods that the project does not define; the receiver decides."""

from __future__ import annotations

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Confidence,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
    parse_device,
)
from devlint.source.machine.domain.inputs import Input, of_input
from devlint.source.machine.domain.kinds import OF_CUDA, is_on_cuda, is_spelled_with
from devlint.source.machine.domain.lattice import join_all, least_sure, surer
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    BOOL,
    NONE,
    STRING,
    TOP,
    Array,
    DeviceValue,
    External,
    GeneratorValue,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
)
from devlint.source.machine.heap.derived_containers import is_dict, is_list
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, GeneratorObject, Instance
from devlint.source.machine.heap.paths import for_each
from devlint.source.machine.library import (
    array_writes,
    autograd_functions,
    commands,
    constructors,
    data,
    derived_containers,
    distributions,
    engines,
    expectations,
    functional,
    grad_scaler,
    gymnasium,
    host_data,
    iterators,
    loggers,
    optimizers,
    parsers,
    records,
    threads,
    tokenizers,
    transforms,
    workers,
)
from devlint.source.machine.library.container_methods import call_container, call_string
from devlint.source.machine.library.formatting import formatted
from devlint.source.machine.library.host_operations import host_operation
from devlint.source.machine.library.members import shows_tensor, takes_dimension
from devlint.source.machine.library.module_methods import call_module_method
from devlint.source.machine.library.numpy_results import METHODS, method_result
from devlint.source.machine.library.tensor_methods import backward, call_tensor
from devlint.source.machine.library.unread_objects import moved, wrapped
from devlint.source.machine.modules import packed_sequences, parts
from devlint.source.machine.modules.calls import call_moved
from devlint.source.machine.modules.foreign import returned_by_module
from devlint.source.machine.modules.layers import UNKNOWN_MODULE
from devlint.source.machine.modules.state import (
    PARAMETERS,
    is_module,
    may_be_module,
)
from devlint.source.machine.operators.apply import all_correlated
from devlint.source.machine.operators.devices import note_query
from devlint.source.machine.operators.move_targets import MOVES, target_of
from devlint.source.machine.operators.waits import note_explicit, note_wait
from devlint.source.walk import text

_SYNCHRONIZES = frozenset({"torch.cuda.Event", "torch.cuda.Stream", "torch.Event", "torch.Stream"})
PLACERS = frozenset(
    {"accelerate.Accelerator", "accelerate.accelerator.Accelerator", "lightning.Fabric",
     "lightning.fabric.Fabric",
     "lightning_fabric.Fabric"}
)  # fmt: skip
"""Classes whose objects move modules, loaders and tensors to their device."""
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
"""Methods that return items with their names."""
_OF_PARAMETERS = frozenset({"buffers", "named_buffers", "named_parameters", "parameters", "state_dict"})
_OF_MODULES = (_OF_PARAMETERS - {"state_dict"}) | {"eval", "train"}
"""Methods of modules that tensors do not have."""


def call_method(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    """`receiver.name(...)`."""
    receiver = parts.receiver_as_module(machine, receiver, name)
    match receiver:
        case Tensor() | Input():
            return _of_tensor(machine, receiver, name, call)
        case Reference(target=target):
            return _of_object(machine, target, receiver, name, call)
        case Known() | Scalar():
            if name == "format":
                for each in call.passed:
                    formatted(machine, each.value, each)
            return call_string(machine, receiver, name, call)
        case DeviceValue(is_string=True):
            return _of_device_name(machine, receiver, name, call)
        case Array():
            return _of_array(machine, receiver, name, call)
        case Union(alternatives=members):
            supplied = call.passing(all_correlated(receiver, call.passed))
            return for_each(machine, members, lambda each: call_method(machine, each, name, supplied))
        case GeneratorValue():
            return receiver if name in ("manual_seed", "seed") else TOP
        case _:
            return _of_unknown(machine, receiver, name, call)


def _of_tensor(machine: Machine, receiver: Tensor | Input, name: str, call: Call) -> Value:
    if isinstance(receiver, Tensor) and name in _OF_MODULES and _may_be_module_moved(receiver):
        return _with_names(machine, receiver, call.site) if name in _NAMED else receiver
    if isinstance(receiver, Input):
        shows = receiver.of_forward and shows_tensor(name)
        if not receiver.refuted and (shows or takes_dimension(name, call)):
            receiver.evident = True
        if name in ("train", "eval", "requires_grad_", "half", "float") and not receiver.evident:
            return receiver
        if name in _OF_PARAMETERS:
            _note_module(machine, receiver, call.site)
        if name in _NAMED:
            return _with_names(machine, receiver, call.site)
        if name == "keys":
            return TOP
        if name in ("get", "pop") and receiver.holds_tensors:
            return of_input(receiver, receiver.born)
        if name in ("values", "parameters") or (name == "get" and not receiver.refuted):
            return receiver
        if receiver.refuted and name not in MOVES:
            returned = of_input(receiver, receiver.born)
            returned.confidence = Confidence.POSSIBLE
            return returned
    return call_tensor(machine, receiver, name, call)


def _note_module(machine: Machine, held: Input, site: SiteId) -> None:
    """Record that an input is a module, which is tried on an accelerator, as modules of the project are."""
    held.holds_tensors = True
    held.confidence = surer(held.confidence, Confidence.LIKELY)
    if held.device == UNKNOWN:
        held.device = Symbol(held.name, SymbolKind.MODULE)
    note_query(machine, site, held.device)


def _of_device_name(machine: Machine, receiver: DeviceValue, name: str, call: Call) -> Value:
    """A method of the string that names a device or a tensor's type."""
    if receiver.names_dtype:
        asks = name == "startswith" and call.first in (Known(OF_CUDA), Known(OF_CUDA.rstrip(".")))
        found = is_on_cuda(receiver.device) if asks else None
        return call_string(machine, STRING, name, call) if found is None else Known(found)
    if name in ("lower", "strip"):
        return receiver
    if name == "startswith" and len(call.passed) == 1 and isinstance(call.first, Known):
        found = is_spelled_with(receiver.device, str(call.first.value), first=True)
        return BOOL if found is None else Known(found)
    return call_string(machine, STRING, name, call)


def _may_be_module_moved(held: Tensor) -> bool:
    """Whether it is what an input's move returned, and the input may be a module."""
    return held.source is not None and not (held.assured or held.source.evident)


def _with_names(machine: Machine, receiver: Tensor | Input, site: SiteId) -> Value:
    """The items of an input, with their names."""
    pairs = Instance("builtins.zip", site)
    names = machine.adopt(Container("list", element=STRING))
    pairs.arguments = {"0": names, "1": receiver}
    return machine.adopt(pairs)


def _of_unknown(machine: Machine, receiver: Value, name: str, call: Call) -> Value:
    if name == "backward":
        return backward(machine, receiver)
    if name in MOVES and name not in ("type", "cpu", "type_as") and not _names_something_else(call):
        target = target_of(machine, name, call)
        if target.place is not None and target.place.device != CPU:
            machine.log.refute(call.site)
            return _moved(machine, target.place, name, call)
    if isinstance(receiver, External):
        return machine.call(External(f"{receiver.name}.{name}"), call)
    return machine.presumed(call)


def _moved(machine: Machine, place: DeviceValue, name: str, call: Call) -> Input:
    """What an unknown object returns that the program moves: a tensor, or a module, which it may call."""
    confidence = least_sure(place.confidence, Confidence.LIKELY)
    origin = Origin((OriginStep(Step.MOVED, call.site, place.device, f"torch.Tensor.{name}"),))
    loop = machine.execution.loop
    made = Input(text(call.node), place.device, confidence, origin, born=loop, presumed=True)
    made.has_device = True
    return made


def _names_something_else(call: Call) -> bool:
    """Whether the receiver of a move is no tensor, as in `(3 * metre).to("inch")`."""
    name = call.value("device", 0)
    return isinstance(name, Known) and isinstance(name.value, str) and parse_device(name.value) is None


def _of_object(machine: Machine, target: Object, receiver: Value, name: str, call: Call) -> Value:
    if isinstance(target, Container):
        return call_container(machine, target, name, call)
    if isinstance(target, GeneratorObject):
        if name not in ("send", "__next__"):
            return NONE
        return join_all(machine.elements(receiver, call.frame, call.node).items)
    if isinstance(target, Instance):
        return _of_instance(machine, target, receiver, name, call)
    if isinstance(target, Class):
        return _of_class(machine, target, receiver, name, call)
    return TOP


def _of_class(machine: Machine, target: Class, receiver: Value, name: str, call: Call) -> Value:
    """An attribute that a class inherits from outside the project; most likely another constructor, which
    returns an object of the class."""
    if name == "__call__":
        return machine.instantiate(receiver, call)
    if name in constructors.NAMES:
        return constructors.construct(machine, receiver, name, call)
    if name == "apply" and autograd_functions.is_autograd_function(target.externals):
        return autograd_functions.apply(machine, target, call)
    if name == "_make" and "namedtuple" in target.marks:
        return machine.call(receiver, call)
    return TOP


def _of_instance(machine: Machine, target: Instance, receiver: Value, name: str, call: Call) -> Value:
    if target.of == packed_sequences.PACKED_SEQUENCE:
        held = call_method(machine, packed_sequences.data_of(target), name, call)
        return packed_sequences.repacked(machine, target, held)
    encoded = tokenizers.encoding(machine, target, name, call)
    if encoded is not None:
        return encoded
    found = host_data.transformed(machine, target.class_name, name, call)
    if found is not None:
        return found
    if name == "__setattr__":
        supplied = Passed(receiver, call.receiver, call.site)
        return machine.call(External("builtins.setattr"), call.passing([supplied, *call.passed]))
    if is_module(target) or (name in MOVES and may_be_module(target)):
        found = call_module_method(machine, target, receiver, name, call)
        if found is not None:
            return found
    of = target.of
    externals = (of,) if isinstance(of, str) else of.externals
    if optimizers.is_optimizer(externals):
        return optimizers.call_method(machine, target, name, call)
    if any(each.endswith(".ReduceLROnPlateau") for each in externals) and name == "step":
        return _of_plateau(machine, call)
    if grad_scaler.CLASSES & set(externals):
        return grad_scaler.call_method(machine, target, name, call)
    if _SYNCHRONIZES & set(externals):
        if name == "synchronize":
            note_explicit(machine, call.site, f"{externals[0]}.synchronize")
        return TOP
    if any(each.startswith(distributions.PREFIX) for each in externals):
        return distributions.call_method(machine, target, name, call)
    if of == autograd_functions.CONTEXT:
        return autograd_functions.call_context(machine, target, name, call)
    if PLACERS & set(externals):
        return _of_placer(machine, target, name, call)
    if engines.is_engine(externals):
        return engines.call_method(machine, target, name, call)
    if workers.is_process(externals):
        return workers.call_process(machine, target, name, call)
    if threads.CLASSES & set(externals):
        return threads.call_method(machine, target, externals, name, call)
    if isinstance(of, str) and of in commands.CLASSES:
        return commands.call_method(machine, receiver, name, call)
    if parsers.is_parser(externals):
        return parsers.call_method(machine, target, receiver, name, call)
    if data.is_loader(externals) or data.is_dataset(externals):
        return data.call_method(machine, target, receiver, name, call)
    if "namedtuple" in (of.marks if isinstance(of, Class) else ()):
        return records.call_method(machine, target, name, call)
    stepped = gymnasium.call_inherited(machine, target, receiver, name, call)
    if stepped is not None:
        return stepped
    if is_dict(target):
        return derived_containers.call_dict(machine, target, name, call)
    if is_list(target) and (name == "__init__" or name in derived_containers.OF_LISTS):
        return derived_containers.call_list(machine, target, name, call)
    if isinstance(of, Class) and of.externals and "?" not in of.externals and name == "__init__":
        return NONE
    if name in MOVES and isinstance(of, str):
        return moved(machine, target, receiver, name, call)
    if name in expectations.METHODS and externals:
        return expectations.expected(machine, call)
    part = parts.called_part(machine, target, name)
    if part is not None:
        return machine.call(part, call)
    if of == UNKNOWN_MODULE:
        return returned_by_module(machine, call)
    if isinstance(of, str) and gymnasium.is_environment(of):
        observed = gymnasium.call_method(name)
        if observed is not None:
            return observed
    inner = wrapped(target) if name in _OF_PARAMETERS else None
    if inner is not None:
        return call_method(machine, inner, name, call)
    loggers.note_logged(machine, target, name, call)
    return machine.presumed(call)


def _of_plateau(machine: Machine, call: Call) -> Value:
    """`ReduceLROnPlateau.step`, which converts the metric to a number (torch/optim/lr_scheduler.py)."""
    for each in call.passed[:1]:
        tensor = tensor_of(each.value)
        if tensor is not None and isinstance(each.value, Tensor):
            name = "torch.optim.lr_scheduler.ReduceLROnPlateau.step"
            note_wait(machine, call.site, name, Cause.HOST_READ, tensor, each)
    return NONE


def _of_placer(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """`accelerator.prepare(model, optimizer, loader)`, which moves each to the accelerator's device."""
    if name == "backward":
        return backward(machine, call.first)
    if name in _PASSES_ON and call.passed:
        return call.first
    if name not in _PLACES:
        return TOP
    placed = [
        machine.placed(each.value, machine.accelerator, call.site) for each in call.passed if not each.keyword
    ]
    return placed[0] if len(placed) == 1 else machine.adopt(Container("tuple", placed))


def _of_array(machine: Machine, receiver: Array, name: str, call: Call) -> Value:
    if name in METHODS:
        host_operation(machine, f"numpy.ndarray.{name}", call)
    array_writes.by_method(machine, name, call)
    return method_result(receiver, name, call.passed)


def call_instance(machine: Machine, instance: Instance, call: Call) -> Value:
    """The call of an object of a class outside the project."""
    name = instance.class_name
    encoded = tokenizers.encoding(machine, instance, "__call__", call)
    if encoded is not None:
        return encoded
    if commands.is_command(Reference(instance)):
        return commands.run(machine, Reference(instance), call)
    if commands.is_decorator(Reference(instance)) and call.passed:
        return commands.decorate(machine, instance, call)
    placed = instance.cells.get(PARAMETERS)
    if isinstance(placed, Tensor) and isinstance(instance.of, str):
        return call_moved(machine, placed, call, may_take_both=True)
    if name in iterators.GETTERS:
        return iterators.get(machine, instance, call)
    if name.startswith(transforms.PREFIX):
        return transforms.transformed(machine, instance, call)
    if name in functional.TRANSFORMED:
        return functional.call_transformed(machine, instance, call)
    if name.startswith("torch.") and isinstance(instance.of, str) and isinstance(call.first, Reference):
        # A context manager used as a decorator, `torch.no_grad()(function)`, returns the function.
        return call.first
    return machine.presumed(call)
