"""The transfer function of an operator of the table: its result, and the events that it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from devlint.model import (
    CPU,
    NOWHERE,
    UNKNOWN,
    Cause,
    Confidence,
    Device,
    Kind,
    Operand,
    Operation,
    Origin,
    OriginStep,
    Rank0,
    Silence,
    SiteId,
    Step,
    Transfer,
    may_be_accelerator,
)
from devlint.operators import (
    MAKERS,
    ArgumentKind,
    DeviceRule,
    Dimensions,
    Operator,
    ResultDevice,
    ResultKind,
)
from devlint.source.machine.domain.lattice import join_all, least_sure, scalar_type
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    SCALAR,
    TOP,
    Array,
    DeviceValue,
    External,
    GeneratorValue,
    Input,
    Known,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
    new_serial,
)
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.paths import differs_by_path
from devlint.source.machine.operators import accelerator, implicit, waits
from devlint.source.machine.operators.binding import Bound, bind
from devlint.source.machine.operators.devices import accelerator_chosen, wanted
from devlint.source.machine.operators.factories import make
from devlint.source.machine.operators.operands import (
    TensorArgument,
    deciding_operand,
    exclude_each_other,
    inputs_of,
    operand,
    placed_by_inputs,
    tensor_arguments,
)
from devlint.source.machine.operators.ranks import rank0_of, rank0_of_part
from devlint.source.machine.operators.result_shapes import shape_of_part, shape_of_result
from devlint.source.machine.operators.shapes import itemsize_kept, itemsize_made, shape_constructed

DEFAULT_DEVICE = "the default device"
"""What stands for the device in an operation that names none."""
_SILENT = (DeviceRule.METADATA, DeviceRule.MOVES)
_TAKES_NUMBERS = frozenset(
    {"add", "sub", "mul", "div", "true_divide", "pow", "eq", "ne", "lt", "le", "gt", "ge", "maximum",
     "minimum", "where", "tensor", "as_tensor", "asarray", "is_tensor", "numel", "clamp"}
)  # fmt: skip
"""Functions of torch whose first argument need not be a tensor, or that ask whether it is one."""


def apply(machine: Machine, site: SiteId, operator: Operator, passed: Sequence[Passed]) -> Value:
    """The result of an operator; notes the operation, its waits and its hidden transfers."""
    if any(type(each.value) is Union for each in passed):
        passed = [_by_choice(machine, each) for each in passed]
    if any(type(each.value) is Union for each in passed):
        several = any(differs_by_path(each.value) for each in passed)
        with machine.on_one_path() if several else nullcontext():
            return join_all(_apply_one(machine, site, operator, each) for each in _by_path(passed))
    return _apply_one(machine, site, operator, passed)


def _by_choice(machine: Machine, passed: Passed) -> Passed:
    """An argument, which is the accelerator where it names that or the host."""
    several = passed.value if isinstance(passed.value, Union) else None
    chosen = None if several is None else accelerator_chosen(machine, passed, several)
    return passed if chosen is None else passed._replace(value=chosen)


def _by_path(passed: Sequence[Passed]) -> Iterator[list[Passed]]:
    """The arguments with one alternative at a time; the others' alternatives count as unknown, since two
    values that differ by path usually differ by the same path."""
    for position, each in enumerate(passed):
        if isinstance(each.value, Union):
            for one in each.value.alternatives:
                if one != NONE or each.keyword:
                    plain = [other._replace(value=_settled(other.value)) for other in passed]
                    plain[position] = each._replace(value=one)
                    yield plain


def all_beside(owner: Value, given: Sequence[Passed]) -> list[Passed]:
    """What comes with a value that differs by path: what differs too usually does so by the same path."""
    return [each._replace(value=beside(owner, each.value)) for each in given]


def beside(one: Value, other: Value) -> Value:
    """The other one of two values, where each alternative of the first is looked at by itself."""
    return _settled(other) if differs_by_path(one) and any(map(tensor_of, alternatives(other))) else other


def _settled(held: Value) -> Value:
    """A union as one value: a tensor, if all members other than None are."""
    if not isinstance(held, Union):
        return held
    tensors = [tensor for each in held.alternatives if (tensor := tensor_of(each)) is not None]
    return changed(tensors[0], device=UNKNOWN) if tensors else TOP


def _apply_one(machine: Machine, site: SiteId, operator: Operator, passed: Sequence[Passed]) -> Value:
    bound = bind(operator, passed)
    tensors = tensor_arguments(bound)
    _learn(operator, bound)
    if operator.rule not in _SILENT:
        _note_operation(machine, site, bound, tensors)
        if any(may_be_accelerator(each.tensor.device) for each in tensors):
            accelerator.work(machine, *(each.tensor.device for each in tensors))
            _note_use(machine, site, tensors)
            if machine.around.loop is not None and operator.rule is not DeviceRule.HOST_READ:
                machine.around.loop.worked = True
    if operator.rule in (DeviceRule.HOST_READ, DeviceRule.COPIES_INTO):
        for each in tensors:
            implicit.settled(machine, each.tensor)
    if operator.syncs or operator.rule is DeviceRule.HOST_READ:
        waits.note(machine, site, bound)
    if operator.rule is DeviceRule.COPIES_INTO:
        _note_copy(machine, site, bound)
    return _result(machine, site, bound, tensors)


def _note_use(machine: Machine, site: SiteId, tensors: list[TensorArgument]) -> None:
    """Note that the accelerator works in a worker process. (In others, what has put its operands there has
    started it.)"""
    if machine.worker is not None and not machine.worker.failed:
        for each in tensors:
            accelerator.use(machine, site, each.tensor.device)


def _learn(operator: Operator, bound: Bound) -> None:
    """What torch is given in the place of a tensor is one, unless a number may stand there."""
    head, _, last = operator.name.rpartition(".")
    if head == "torch.Tensor" or last in _TAKES_NUMBERS:
        return
    for argument, passed in bound.arguments[:1]:
        if isinstance(passed.value, Input) and argument.kind is ArgumentKind.TENSOR:
            passed.value.evident = True


def _note_operation(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> None:
    """Note the operation if its operands' devices can conflict."""
    extra = _generator_operands(machine, bound)
    devices: list[Device] = []
    for each in tensors:
        device = each.tensor.device
        if device not in devices and device != UNKNOWN:
            devices.append(device)
    if not (len(devices) > 1 or extra or (devices and devices != [CPU] and _demands_host(bound))):
        return
    if exclude_each_other(each.tensor for each in tensors):
        return
    here = machine.frame.number
    operands = tuple(operand(t, passed, name, label, here) for t, passed, name, label in tensors)
    confidence = least_sure(machine.root_confidence, *(each.tensor.confidence for each in tensors))
    if any(each.tensor.source is not None and each.tensor.source.presumed for each in tensors):
        confidence = Confidence.POSSIBLE
    event = Operation(site, None, confidence, bound.operator.name, (*operands, *extra))
    if _follows_from_dropped_move(machine, tensors):
        machine.log.withhold(event, Silence.DROPPED_MOVE, machine.around)
    else:
        machine.note(event, inputs_of(tensors), placed_by_inputs(tensors))


def _follows_from_dropped_move(machine: Machine, tensors: list[TensorArgument]) -> bool:
    """Whether an operand's copy on the device of another one was dropped: that is to be repaired."""
    return any(
        machine.log.is_dropped(each.tensor.serial, other.tensor.device)
        for each in tensors
        for other in tensors
        if other is not each
    )


def _generator_operands(machine: Machine, bound: Bound) -> tuple[Operand, ...]:
    """The generator and what it draws for, where one is passed."""
    generator = bound.of_kind(ArgumentKind.GENERATOR)
    if generator is None or not isinstance(generator.value, GeneratorValue):
        return ()
    shown = operand(generator.value, generator, "generator")
    if bound.operator.rule is not DeviceRule.FACTORY:
        return (shown,)
    target = bound.of_kind(ArgumentKind.DEVICE)
    if target is None:
        if bound.has_unknown_keywords:
            return ()
        device, text, at = machine.default_device, DEFAULT_DEVICE, generator.site
    else:
        device, text, at = wanted(machine, target).device, "device", target.site
    return (shown, Operand(text, at, device, Kind.DEVICE, parameter="device"))


def _demands_host(bound: Bound) -> bool:
    """Whether one operand alone can be in the wrong place."""
    operator = bound.operator
    if operator.result.kind is ResultKind.ARRAY:
        return not bound.is_true("force")
    return operator.rule is DeviceRule.HOST_ONLY_ARGUMENT or any(
        argument.host for argument in operator.arguments
    )


def _note_copy(machine: Machine, site: SiteId, bound: Bound) -> None:
    """Note a copy between host and device that an operator does on the side: `buffer[i:j] = scores`."""
    if not bound.arguments:
        return
    target, written = tensor_of(bound.arguments[0][1].value), bound.written
    source = None if written is None else tensor_of(written.value)
    if target is None or source is None or written is None or source.rank0 is True:
        return
    down = target.device == CPU and may_be_accelerator(source.device)
    up = source.device == CPU and may_be_accelerator(target.device)
    if not down and not up:
        return
    asked = bound.value("non_blocking")
    non_blocking = asked is not None and machine.truth(asked) is not False
    name = bound.operator.name
    machine.note(
        Transfer(
            site,
            None,
            least_sure(source.confidence, target.confidence, machine.root_confidence),
            name,
            operand(source, written, "value"),
            source.device,
            target.device,
            explicit=name.endswith("copy_"),
            non_blocking=non_blocking,
        )
    )
    if down and (not non_blocking or target.pinned is False):
        waits.note_wait(machine, site, name, Cause.HOST_COPY, source, written)


def _result(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Value:
    result = bound.operator.result
    match result.kind:
        case ResultKind.SELF:
            return _changed_in_place(machine, bound)
        case ResultKind.TENSOR | ResultKind.TENSORS:
            tensor = _result_tensor(machine, site, bound, tensors)
            several = result.kind is ResultKind.TENSORS or any(
                bound.given(name) for name in result.tensors_with
            )
            if not several:
                return tensor
            if result.rank is not Dimensions.ZERO_WITHOUT_DIM:  # parts have other sizes than the whole
                shape, rank0 = shape_of_part(bound, tensors), rank0_of_part(bound, tensors)
                tensor = changed(tensor, rank0=rank0 if shape is None else not shape, shape=shape)
            return machine.adopt(Container("tuple", element=tensor))
        case ResultKind.SCALAR:
            return SCALAR
        case ResultKind.CONTAINER:
            return machine.adopt(Container("list", element=SCALAR))
        case ResultKind.ARRAY:
            source = tensors[0].tensor if tensors else None
            if source is None:
                return Array()
            return Array(source.origin, downloaded=may_be_accelerator(source.device))
        case ResultKind.DEVICE:
            return DeviceValue(tensors[0].tensor.device) if tensors else TOP
        case ResultKind.NONE:
            return NONE
        case _:
            return TOP


def _changed_in_place(machine: Machine, bound: Bound) -> Value:
    """The first operand, with other values in it."""
    first = bound.arguments[0][1].value if bound.arguments else TOP
    if isinstance(first, Tensor):
        return changed(first, download=None, born=machine.around.loop)
    return first


def _result_tensor(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Tensor:
    result = bound.operator.result
    shape = shape_of_result(bound, tensors)
    rank0 = rank0_of(bound, tensors) if shape is None else not shape
    boolean = result.boolean if result.boolean is not None else _stays_boolean(bound, tensors)
    dtype = bound.value("dtype")
    if isinstance(dtype, External):
        boolean = dtype.name == "torch.bool"
    elif boolean is None and dtype in (None, NONE):
        boolean = _holds_booleans(bound.value("data"))
    if result.device is ResultDevice.ARGUMENT:
        made = make(machine, site, bound, tensors)
        return changed(made, rank0=rank0 if made.rank0 is None else made.rank0, boolean=boolean)
    if result.device is ResultDevice.HOST:
        return _made_on_host(machine, site, bound, rank0=rank0, boolean=boolean)
    source = deciding_operand(tensors, first_only=result.device is ResultDevice.FIRST)
    if source is None:
        return Tensor(UNKNOWN, rank0=rank0, boolean=boolean, serial=new_serial(), born=machine.around.loop)
    if result.kind is ResultKind.TENSORS and len({each.tensor.device for each in tensors}) > 1:
        # `broadcast_tensors(a, b)` leaves each where it is.
        source = changed(source, device=UNKNOWN)
    confidence = least_sure(*(each.tensor.confidence for each in tensors))
    if source.device == CPU and any(each.tensor.device == UNKNOWN for each in tensors):
        # Only if that one lies on the host as well: else there is no result.
        confidence = Confidence.POSSIBLE
    is_view = result.device is ResultDevice.FIRST
    return Tensor(
        source.device,
        source.origin,
        rank0=rank0,
        boolean=boolean,
        confidence=confidence,
        attribute=source.attribute if is_view else "",
        serial=source.serial if is_view else new_serial(),
        born=source.born if is_view else machine.around.loop,
        source=source.source,
        activation=source.activation if is_view else machine.frame.number,
        left_behind=source.left_behind and is_view,
        pinned=source.pinned if is_view or source.pinned is False else None,
        shape=() if rank0 is True else shape,
        itemsize=itemsize_kept(bound, source),
        element=source.element and is_view,
        outcomes=frozenset().union(*(each.tensor.outcomes for each in tensors)),
    )


def _made_on_host(
    machine: Machine, site: SiteId, bound: Bound, *, rank0: Rank0, boolean: bool | None
) -> Tensor:
    operator = bound.operator
    born = machine.around.loop
    if bound.given("device"):
        return Tensor(UNKNOWN, rank0=rank0, boolean=boolean, serial=new_serial(), born=born)
    first = bound.arguments[0][1].value if bound.arguments else None
    if isinstance(first, (Tensor, Input)) and operator.name.endswith("Tensor"):
        tensor = tensor_of(first)
        return tensor if tensor is not None else Tensor()
    device = machine.tensor_type_device if operator.name == "torch.Tensor" else CPU
    implicit = operator.rule in MAKERS or operator.name.endswith("Tensor")
    step = OriginStep(Step.MADE, site, device, operator.name, implicit=implicit)
    origin = Origin((step,))
    if isinstance(first, Array) and first.origin != NOWHERE:
        origin = first.origin.then(OriginStep(Step.MOVED, site, CPU, operator.name))
    return Tensor(
        device,
        origin,
        rank0=rank0,
        boolean=boolean,
        serial=new_serial(),
        born=born,
        shape=shape_constructed(bound),
        itemsize=itemsize_made(bound),
        activation=machine.frame.number,
    )


def _holds_booleans(data: Value | None) -> bool | None:
    """Whether numbers or lists of numbers are True and False; None where that is not known."""
    match data:
        case Known() | Scalar():
            return scalar_type(data) == "bool"
        case Reference(target=Container(kind="list" | "tuple", cells=cells)) if cells:
            return all(map(_holds_booleans, cells.values())) or None
        case _:
            return None


_BITWISE = frozenset({"and", "or", "xor", "invert"})


def _stays_boolean(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """`a & b` and `~a` of boolean tensors are boolean, and so are views of one."""
    last = bound.operator.name.rpartition(".")[2].strip("_").removeprefix("bitwise_")
    bitwise = any(last.removeprefix(prefix) in _BITWISE for prefix in ("", "i", "r"))
    if not bitwise and bound.operator.result.device is not ResultDevice.FIRST:
        return None
    known = [each.tensor.boolean for each in tensors]
    if not bitwise:
        known = known[:1]
    return True if known and all(known) else None
