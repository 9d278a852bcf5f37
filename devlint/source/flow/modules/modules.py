"""Classes of the file: what `nn.Module` makes of their attributes, and what a call of a module does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Certainty,
    Concrete,
    Device,
    Operation,
    Origin,
    OriginStep,
    Registration,
    RegistrationKind,
    Step,
    Symbol,
    is_accelerator,
)
from devlint.operators import MODULE_CALL, find
from devlint.source import ir
from devlint.source.flow.modules import moved_modules
from devlint.source.flow.modules.forwards import inputs_that_have_to_be_there
from devlint.source.flow.modules.layers import (
    CONTAINERS_OF_MODULES,
    LOSSES,
    TUPLE_LAYERS,
)
from devlint.source.flow.modules.new_modules import device_of_new, has_state, is_bare, is_stateful
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.operands import operand, tensor_of
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import OF_SELF, Frame, Passed
from devlint.source.flow.state.values import (
    PARAMETER_MAKERS,
    TOP,
    Alternatives,
    Batch,
    Container,
    DeviceValue,
    Home,
    Module,
    Tensor,
    Value,
)
from devlint.source.walk import walk

STEP_METHODS = frozenset({"training_step", "validation_step", "test_step", "predict_step"})


def construct(
    frame: Frame, call: ir.Call, name: str, info: ClassInfo | None, passed: Sequence[Passed]
) -> Value:
    """`Net(...)`, `nn.Linear(...)`: a module with its parameters on the default device unless it says
    otherwise."""
    if info is not None:
        frame.program.settle(info)
        frame.program.construct(info, passed)
    device, implicit = device_of_new(name, info, passed, frame.default_device.device)
    for argument in passed:
        # What a module is made of moves with it from now on.
        moved_modules.hand_over(frame, argument.expression, argument.value)
    step = OriginStep(Step.MADE, call.id, device, name, implicit)
    module = Module(device, Origin((step,)), name, info)
    if _is_forward(frame) and not frame.first_time and _has_state(name, info, passed):
        shown = operand(module, call)
        frame.emit(
            Registration(
                call.id,
                frame.hot,
                Certainty.PROVEN,
                frame.info.name if frame.info else "",
                "",
                RegistrationKind.BUILT_IN_FORWARD,
                shown,
            )
        )
    return module


def _has_state(name: str, info: ClassInfo | None, passed: Sequence[Passed]) -> bool:
    if info is not None:
        own = {
            name
            for name, value in info.attributes.items()
            if isinstance(value, Tensor) and value.device == OF_SELF
        }
        return bool(own - set(_buffers(info))) and not _is_metric(info)
    return is_stateful(name) and has_state(name, passed) and not any(a.keyword == "device" for a in passed)


def _buffers(info: ClassInfo) -> Iterator[str]:
    """The names under which a class registers buffers, which nobody trains."""
    for node in walk(
        [method for base in info.lineage() for method in base.methods.values()], into_scopes=True
    ):
        match node:
            case ir.Call(
                function=ir.Attribute(name="register_buffer"),
                arguments=(ir.Argument(value=ir.Constant(value=str(name))), *_),
            ):
                yield name


def _is_metric(info: ClassInfo) -> bool:
    """Whether it collects what it is given: an object of its own for each use is no mistake."""
    return info.method("update") is not None and info.method("compute") is not None


def _is_forward(frame: Frame) -> bool:
    return frame.info is not None and frame.info.is_module and frame.qualname.endswith(".forward")


def call_module(
    frame: Frame, call: ir.Call, module: Module, passed: Sequence[Passed], output: Value | None
) -> Value:
    """`model(x)`: notes where module and inputs are; `output` is what its forward is known to return."""
    inputs = [(argument, tensor_of(argument.value)) for argument in passed]
    tensors = [
        (argument, tensor)
        for argument, tensor in inputs
        if tensor is not None and (tensor.evident or not module.evident)
    ]
    has_place = module.device != UNKNOWN and not (module.info is not None and is_bare(module.info))
    has_place = has_place and module.name not in _PLACING
    judged = inputs_that_have_to_be_there(module.info, passed) if has_place else []
    if judged and module.evident:
        _note_alternatives(frame, call, module, judged)
    # A metric counts, too: what it is given may be one number.
    counts = module.info is not None and _is_metric(module.info)
    met = [(a, tensor) for a, tensor in tensors if a in judged and not (counts and tensor.rank0 is None)]
    if met:
        shown = (
            operand(module, call.function, "self"),
            *(operand(t, a.expression, a.keyword, believing=not module.evident) for a, t in met),
        )
        certainty = _certainty(module, [tensor for _, tensor in met])
        event = Operation(call.id, frame.hot, certainty, MODULE_CALL, shown)
        if not module.evident:
            frame.demand(event)
        elif _may_conflict(module.device, [tensor for _, tensor in met]):
            frame.emit(event)
    if is_accelerator(module.device) or any(is_accelerator(tensor.device) for _, tensor in tensors):
        frame.work += 1
    if output is not None:
        return output
    functional = find(LOSSES.get(module.name, ""))
    if functional is not None:
        return operations.apply(frame, call.id, functional, passed)
    away = (tensor.device for _, tensor in tensors if tensor.device not in (UNKNOWN, CPU))
    # What takes host tensors where it is has been left on the host, or the call has raised.
    at_home = UNKNOWN if any(tensor.device == CPU for _, tensor in tensors) else module.device
    device = next(away, at_home)
    is_layer = module.name.startswith("torch.nn.")
    if module.name in CONTAINERS_OF_MODULES - {"torch.nn.Sequential"}:
        return TOP
    if module.name in TUPLE_LAYERS:
        packed = bool(passed) and isinstance(passed[0].value, Batch)
        return Container(Tensor(device), ((0, Batch(Tensor(device))), (1, TOP)) if packed else None)
    rank0 = (
        True if module.name.endswith("Loss") and not any(a.keyword == "reduction" for a in passed) else None
    )
    return Tensor(device, evident=is_layer, rank0=rank0)


_PLACING = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"})
"""Modules that bring their inputs to where they are wanted (torch/nn/parallel)."""


def _certainty(module: Module, tensors: Sequence[Tensor]) -> Certainty:
    """A part of `self` that is no layer of torch may bring its inputs to where it works, or want some of them
    on the host, as it likes; what a program itself has moved is used as it was moved."""
    if any(tensor.conventional for tensor in tensors):
        return Certainty.CONVENTION
    is_layer = module.name.startswith("torch.nn.")
    return Certainty.ASSUMED if module.device == OF_SELF and not is_layer else Certainty.PROVEN


def _note_alternatives(frame: Frame, call: ir.Call, module: Module, passed: Sequence[Passed]) -> None:
    """Notes the call once for each tensor that its first argument may be, by the path taken."""
    first = passed[0] if passed else None
    if first is None or not isinstance(first.value, Alternatives):
        return
    for tensor in first.value.tensors:
        if _may_conflict(module.device, [tensor]):
            shown = (operand(module, call.function, "self"), operand(tensor, first.expression, first.keyword))
            frame.emit(Operation(call.id, frame.hot, Certainty.PROVEN, MODULE_CALL, shown))


def _may_conflict(device: Device, tensors: Sequence[Tensor]) -> bool:
    return any(tensor.device not in (UNKNOWN, device) for tensor in tensors)


def attribute_value(info: ClassInfo, name: str) -> tuple[Home | None, Value | None]:
    """What `self.name` holds when a method starts, if the project shows it, and the file that shows it."""
    for base in info.lineage():
        if name in base.attributes:
            return base.home, base.attributes[name]
    if info.is_module:
        if name == "device":
            return info.home, DeviceValue(OF_SELF, "self.device")
        if name == "training":
            return info.home, TOP
    return info.home, None


def registered(value: Value, attribute: str, info: ClassInfo) -> Value:
    """What an attribute that `__init__` sets holds later, when its module may have been moved."""
    if not info.is_module and not any(base.unknown_base for base in info.lineage()):
        return value
    match value:
        case Module(device=Concrete(type="cpu") | Symbol()):
            first = value.origin.first
            given = first is not None and first.step is Step.PARAMETER
            return replace(value, device=OF_SELF, origin=value.origin if given else Origin(), anchor="")
        case Module():
            return replace(value, device=UNKNOWN)
        case Tensor() if value.origin.last is not None and value.origin.last.operator in PARAMETER_MAKERS:
            always_there = not value.optional and not _has_default(info, attribute)
            anchor = f"self.{attribute}.device" if always_there else ""
            return Tensor(OF_SELF, evident=True, rank0=value.rank0, anchor=anchor)
        case Tensor():
            return _plain(value, attribute, info) if info.is_module else TOP
        case Alternatives():
            return TOP
        case Container(items=items, element=element) if any(
            isinstance(held, Module) for held in (element, *(item for _, item in items or ()))
        ):
            # Registered one by one or not at all, which is a finding of its own.
            return Container(TOP)
        case Container(items=items, element=element) if info.is_module:
            kept = items and tuple((key, _kept_inside(item, attribute, info)) for key, item in items)
            return replace(value, element=_kept_inside(element, attribute, info), items=kept)
        case _:
            return value


def _has_default(info: ClassInfo, attribute: str) -> bool:
    """Whether the class itself has something by the name of an attribute: another value, or a property."""
    return any(attribute in base.own_names for base in info.lineage())


def _kept_inside(value: Value, attribute: str, info: ClassInfo) -> Value:
    """A tensor in a list or dict of a module, where `.to()` does not look and no registration can replace
    it."""
    if not isinstance(value, Tensor):
        return value
    last = value.origin.last
    if last is not None and last.operator in PARAMETER_MAKERS:
        return value
    kept = _plain(value, attribute, info)
    if kept.origin.last is None or kept.origin.last.step is not Step.ATTRIBUTE:
        return kept
    return replace(kept, origin=Origin((*kept.origin.steps[:-1], replace(kept.origin.last, value=None))))


def _plain(value: Tensor, attribute: str, info: ClassInfo) -> Tensor:
    """A tensor that the module does not know of, with the statement that keeps it."""
    assignments = info.assignments.get(attribute, [])
    origin = value.origin
    if assignments:
        first = assignments[0]
        # `register_buffer` is a module's, and refuses a name that is taken.
        is_module = not any(base.unknown_base for base in info.lineage())
        is_free = is_module and not _has_default(info, attribute)
        replaceable = len(assignments) == 1 and first.after_super and is_free
        step = OriginStep(
            Step.ATTRIBUTE,
            first.statement,
            value.device,
            attribute,
            value=first.value if replaceable else None,
        )
        origin = origin.then(step)
    return replace(value, origin=origin, attribute=attribute, anchor="")


def plain_container_of_modules(value: Value) -> bool:
    """Whether an attribute holds submodules where `.to()` and `.parameters()` do not look."""
    if not isinstance(value, Container):
        return False
    members = [item for _, item in value.items] if value.items is not None else [value.element]
    return bool(members) and all(_is_stateful_module(member) for member in members)


def _is_stateful_module(value: Value) -> bool:
    if not isinstance(value, Module) or not value.evident:
        return False
    if value.info is None:
        return is_stateful(value.name)
    was_made = value.origin.last is not None and value.origin.last.step is Step.MADE
    return not (was_made and is_bare(value.info)) and _is_surely_stateful(value.info)


def _is_surely_stateful(info: ClassInfo) -> bool:
    """Whether nothing speaks against parameters in a class: one that has none to be seen, and of whose bases
    it is not known that they are modules, may be none."""
    lineage = info.lineage()
    held = (value for base in lineage for value in base.attributes.values())
    has_state = any(isinstance(value, Tensor | Module) and value.device == OF_SELF for value in held)
    return has_state or not any(base.unknown_base for base in lineage)
