"""The transfer function of an operator of the table: its events and its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Confidence,
    Device,
    Kind,
    Operand,
    Operation,
    SiteId,
    Transfer,
    may_be_accelerator,
)
from devlint.operators import (
    ArgumentKind,
    DeviceRule,
    Operator,
    ResultDevice,
    ResultKind,
)
from devlint.source.machine.domain.identity import Outcomes, outcomes_of_none
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.tensors import tensor_of, without_stand_ins
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    GeneratorValue,
    Reference,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.defaults import default_device
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.paths import differs_by_path
from devlint.source.machine.operators import accelerator, implicit, pinning, waits
from devlint.source.machine.operators.binding import Bound, bind
from devlint.source.machine.operators.devices import accelerator_chosen, wanted
from devlint.source.machine.operators.evidence import sureness_beside
from devlint.source.machine.operators.operands import (
    TensorArgument,
    are_kept_by_others,
    exclude_each_other,
    inputs_of,
    is_presumed,
    operand,
    placed_by_inputs,
    tensor_arguments,
)
from devlint.source.machine.operators.ordinals import numbered
from devlint.source.machine.operators.overloads import overload
from devlint.source.machine.operators.result_shapes import PRODUCTS
from devlint.source.machine.operators.results import result_of
from devlint.source.machine.operators.shapes import bytes_of

DEFAULT_DEVICE = "the default device"
"""The operand that represents the device in an operation that names none."""
_SILENT = (DeviceRule.METADATA, DeviceRule.MOVES)
_TAKES_NUMBERS = frozenset(
    {"add", "sub", "mul", "div", "true_divide", "pow", "where", "tensor", "as_tensor", "asarray", "is_tensor"}
)
"""Functions of torch whose first argument need not be a tensor, or that test whether it is one."""
_TAKES_ONLY_TENSORS = frozenset(
    {"baddbmm", "bmm", "cat", "concat", "concatenate", "dstack", "einsum", "hstack", "index_select", "matmul",
     "mm", "mv", "stack", "vstack"}
)  # fmt: skip
"""Functions of torch whose operands, alone or in a list, are tensors."""
_OF_ELEMENTS = frozenset({"dtype", "layout", "memory_format", "requires_grad"})
"""The arguments that describe a tensor's elements, not its device."""
_INDICES = frozenset({"index", "indices"})
"""The arguments of `gather`, `scatter` and similar functions that must be tensors."""
_NUMBERS_OF_FACTORIES = frozenset({"end", "size", "start", "step", "steps"})
"""The arguments of factories that are numbers or sizes."""


def apply(machine: Machine, site: SiteId, operator: Operator, passed: Sequence[Passed]) -> Value:
    """The result of an operator; records the operation, its waits and its implicit transfers."""
    if _has_choice(passed):
        passed = [_by_dtype(each) for each in passed]
        if _needs_equal_sizes(operator):
            passed = [each._replace(value=without_stand_ins(each.value)) for each in passed]
        passed = [_by_choice(machine, each) for each in passed]
        if _has_choice(passed):
            several = any(differs_by_path(each.value) for each in passed)
            held = (each.value for each in passed)
            with machine.on_one_path(*held) if several else nullcontext():
                return join_all(
                    _depending(_apply_one(machine, site, operator, each), outcomes)
                    for each, outcomes in _by_path(passed)
                )
    return _apply_one(machine, site, operator, passed)


def _has_choice(passed: Sequence[Passed]) -> bool:
    """Whether an argument depends on the path."""
    return Union in [type(each.value) for each in passed]


def _needs_equal_sizes(operator: Operator) -> bool:
    """Whether an operator fails if one operand has no elements and another one has several."""
    is_product = operator.name.rpartition(".")[2] in PRODUCTS
    return is_product or operator.rule is DeviceRule.SAME_OR_0_DIM_HOST


def _by_dtype(passed: Passed) -> Passed:
    """An argument; a choice that has nothing to do with devices is not followed path by path."""
    return passed._replace(value=_settled(passed.value)) if passed.keyword in _OF_ELEMENTS else passed


def _by_choice(machine: Machine, passed: Passed) -> Passed:
    """An argument; a choice between an accelerator and the host becomes the accelerator."""
    several = passed.value if isinstance(passed.value, Union) else None
    chosen = None if several is None else accelerator_chosen(machine, passed, several)
    return passed if chosen is None else passed._replace(value=chosen)


def _by_path(passed: Sequence[Passed]) -> Iterator[tuple[list[Passed], Outcomes]]:
    """The arguments with one alternative at a time, the others' alternatives being unknown: two values that
    depend on the path usually depend on the same path. Beside them, what holds on the path of a device."""
    for position, each in enumerate(passed):
        if isinstance(each.value, Union):
            for one in each.value.alternatives:
                if one != NONE or each.keyword:
                    plain = [other._replace(value=_settled(other.value)) for other in passed]
                    plain[position] = each._replace(value=one)
                    is_device = each.keyword == "device"
                    yield plain, outcomes_of_none(each.value, one) if is_device else frozenset()


def _depending(result: Value, outcomes: Outcomes) -> Value:
    """A tensor whose device depends on the outcomes of tests."""
    if not outcomes or not isinstance(result, Tensor):
        return result
    return changed(result, outcomes=result.outcomes | outcomes, serial=result.serial)


def all_correlated(owner: Value, supplied: Sequence[Passed]) -> list[Passed]:
    """The arguments, while each alternative of the owner is evaluated; see `correlated`."""
    return [each._replace(value=correlated(owner, each.value)) for each in supplied]


def correlated(one: Value, other: Value) -> Value:
    """The second of two values, while each alternative of the first is evaluated: one value for its union,
    which usually depends on the same path."""
    return _settled(other) if differs_by_path(one) and any(map(tensor_of, alternatives(other))) else other


def _settled(held: Value) -> Value:
    """A union as one value: a tensor, if all members other than None are tensors."""
    if not isinstance(held, Union):
        return held
    tensors = [tensor for each in held.alternatives if (tensor := tensor_of(each)) is not None]
    return changed(tensors[0], device=UNKNOWN) if tensors else TOP


def _apply_one(machine: Machine, site: SiteId, operator: Operator, passed: Sequence[Passed]) -> Value:
    operator = overload(operator, passed)
    bound = bind(operator, passed)
    tensors = tensor_arguments(bound)
    _learn(operator, bound)
    if operator.rule not in _SILENT:
        _note_operation(machine, site, bound, tensors)
        if any(may_be_accelerator(each.tensor.device) for each in tensors):
            accelerator.work(machine, *(each.tensor.device for each in tensors))
            _note_use(machine, site, tensors)
            if _computes(operator):
                accelerator.queue(machine, *(each.tensor.device for each in tensors))
            if machine.execution.loop is not None and operator.rule is not DeviceRule.HOST_READ:
                machine.execution.loop.worked = True
    if operator.rule in (DeviceRule.HOST_READ, DeviceRule.COPIES_INTO):
        for each in tensors:
            implicit.settled(machine, each.tensor)
    if operator.syncs or operator.rule is DeviceRule.HOST_READ:
        waits.note(machine, site, bound)
    elif _is_legacy_constructor(operator):
        waits.note_read_data(machine, site, bound)
    if operator.rule is DeviceRule.COPIES_INTO:
        _note_copy(machine, site, bound)
    return result_of(machine, site, bound, tensors)


def _is_legacy_constructor(operator: Operator) -> bool:
    """Whether an operator is a class, such as `torch.FloatTensor`, which converts its data to numbers."""
    return operator.rule is DeviceRule.METADATA and operator.name.endswith("Tensor")


def _computes(operator: Operator) -> bool:
    """Whether an operator executes work on a device, which views and reads do not."""
    result = operator.result
    return operator.rule is not DeviceRule.HOST_READ and result.device is not ResultDevice.FIRST


def _note_use(machine: Machine, site: SiteId, tensors: list[TensorArgument]) -> None:
    """Record that the accelerator works in a worker process. (Elsewhere, the operation that moved the
    operands there has started it.)"""
    if machine.worker is not None and not machine.worker.failed:
        for each in tensors:
            accelerator.use(machine, site, each.tensor.device)


def _learn(operator: Operator, bound: Bound) -> None:
    """Mark inputs as tensors where torch requires one and no number is allowed, and as none where it takes a
    number or sizes."""
    if operator.rule is DeviceRule.FACTORY:
        for argument, passed in bound.arguments:
            if argument.name in _NUMBERS_OF_FACTORIES and isinstance(passed.value, Input):
                passed.value.show_number()
        return
    for argument, passed in bound.arguments:
        # In brackets, an index may be a number.
        is_index = argument.name in _INDICES and not argument.index
        if is_index and (shown := _rests_on(passed.value)) is not None:
            shown.evident = True
    head, _, last = operator.name.rpartition(".")
    if head == "torch.Tensor" or last in _TAKES_NUMBERS:
        values = [passed.value for _, passed in bound.arguments]
        meets_tensor = any(isinstance(each, Tensor) and each.source is None for each in values)
        for each in values:
            if isinstance(each, Input):
                each.computed_with = True
                each.met_tensor = each.met_tensor or meets_tensor
                each.show_tensor()
        return
    if last in _TAKES_ONLY_TENSORS:
        for _, passed in bound.arguments:
            for each in _elements(passed.value):
                if (shown := _rests_on(each)) is not None:
                    shown.evident = True
        return
    for argument, passed in bound.arguments[:1]:
        shown = _rests_on(passed.value)
        if (
            shown is not None
            and argument.kind is ArgumentKind.TENSOR
            and not _is_legacy_constructor(operator)
        ):
            shown.evident = True


def _elements(held: Value) -> Iterable[Value]:
    """The elements of a list, or the value itself."""
    if isinstance(held, Reference) and isinstance(held.target, Container):
        return held.target.cells.values()
    return (held,)


def _rests_on(held: Value) -> Input | None:
    """The input that is a tensor if this value is one."""
    match held:
        case Input():
            return held
        case Tensor(source=Input(refuted=False) as source, assured=False):
            return source
        case _:
            return None


def _note_operation(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> None:
    """Record the operation if the devices of its operands can conflict."""
    extra = _generator_operands(machine, bound)
    devices = _devices_of(tensors)
    if len(devices) > 1:
        tensors = [each._replace(tensor=numbered(machine, each.tensor, devices)) for each in tensors]
        devices = _devices_of(tensors)
    if not (len(devices) > 1 or extra or (devices and devices != [CPU] and _demands_host(bound))):
        return
    if exclude_each_other(machine, (each.tensor for each in tensors)):
        return
    here = machine.frame.number
    operands = tuple(operand(t, passed, name, label, here) for t, passed, name, label in tensors)
    tensors = _that_may_fail(bound, tensors)
    shown = [each for each in tensors if not is_presumed(each.tensor)]
    if len({each.tensor.device for each in shown} - {UNKNOWN}) > 1:
        tensors = shown  # they conflict, wherever the others are
    sure = (sureness_beside(each.tensor, tensors, machine) for each in tensors)
    confidence = least_sure(machine.root_confidence, machine.mixture_confidence, *sure)
    if len(shown) < len(tensors) or are_kept_by_others(machine, [each.tensor for each in tensors]):
        confidence = Confidence.POSSIBLE
    if len(tensors) == 1 and _may_be_batch(tensors[0].tensor):
        confidence = Confidence.POSSIBLE
    event = Operation(site, None, confidence, bound.operator.name, (*operands, *extra))
    if moves := _dropped_moves(machine, tensors):
        machine.log.withhold_affected(event, moves, machine.execution)
    else:
        machine.note(event, inputs_of(tensors), placed_by_inputs(each.tensor for each in tensors))


def _that_may_fail(bound: Bound, tensors: list[TensorArgument]) -> list[TensorArgument]:
    """The operands on which an error depends: those that must be on the host, wherever the others are."""
    if bound.operator.rule is not DeviceRule.HOST_ONLY_ARGUMENT:
        return tensors
    demanded = {each.name for each in bound.operator.arguments if each.host}
    return [each for each in tensors if each.name in demanded] or tensors


def _may_be_batch(tensor: Tensor) -> bool:
    """Whether a loop draws a tensor from an argument of a function, which may be a loader of host batches."""
    source = tensor.source
    if source is None or source.of_forward:
        return False
    return source.whole is not None and source.born is not None


def _devices_of(tensors: list[TensorArgument]) -> list[Device]:
    """The known devices of some operands, each once."""
    return [each for each in dict.fromkeys(each.tensor.device for each in tensors) if each != UNKNOWN]


def _dropped_moves(machine: Machine, tensors: list[TensorArgument]) -> list[SiteId]:
    """The moves to repair: their dropped results are on the device of another operand."""
    return [
        move
        for each in tensors
        for other in tensors
        if other is not each
        and (move := machine.log.dropped_move(each.tensor.serial, other.tensor.device)) is not None
    ]


def _generator_operands(machine: Machine, bound: Bound) -> tuple[Operand, ...]:
    """The generator and the tensors that it fills, if one is passed."""
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
        device, text, at = default_device(machine), DEFAULT_DEVICE, generator.site
    else:
        device, text, at = wanted(machine, target).device, "device", target.site
    return (shown, Operand(text, at, device, Kind.DEVICE, parameter="device"))


def _demands_host(bound: Bound) -> bool:
    """Whether one operand alone can be on the wrong device."""
    operator = bound.operator
    if operator.result.kind is ResultKind.ARRAY:
        return not bound.is_true("force")
    return operator.rule is DeviceRule.HOST_ONLY_ARGUMENT or any(
        argument.host for argument in operator.arguments
    )


def _note_copy(machine: Machine, site: SiteId, bound: Bound) -> None:
    """Record an operator's implicit copy between host and device: `buffer[i:j] = scores`."""
    if not bound.arguments:
        return
    target, written = tensor_of(bound.arguments[0][1].value), bound.written
    source = None if written is None else tensor_of(written.value)
    if target is None or source is None or written is None:
        return
    down = target.device == CPU and may_be_accelerator(source.device)
    # A 0-dim host tensor is written as a number.
    up = source.device == CPU and source.rank0 is not True and may_be_accelerator(target.device)
    if not down and not up:
        return
    asked = bound.value("non_blocking")
    non_blocking = asked is not None and machine.truth(asked) is not False
    name = bound.operator.name
    explicit = name.endswith("copy_")
    machine.note(
        Transfer(
            site,
            None,
            least_sure(source.confidence, target.confidence, machine.root_confidence),
            name,
            operand(source, written, "value"),
            source.device,
            target.device,
            explicit=explicit,
            non_blocking=non_blocking,
            pinned=pinning.pinned(source, machine.execution.loop) if explicit and up else None,
            bytes=bytes_of(source) if explicit else None,
        )
    )
    if down and (not non_blocking or target.pinned is False):
        waits.note_wait(machine, site, name, Cause.HOST_COPY, source, written)
