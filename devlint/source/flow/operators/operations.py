"""What an operator of the table does to abstract values, and the events that it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from devlint.model import (
    CPU,
    NOWHERE,
    UNKNOWN,
    Cause,
    Certainty,
    Device,
    Kind,
    Operand,
    Operation,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Transfer,
    is_accelerator,
    may_be_accelerator,
)
from devlint.operators import MAKERS, ArgumentKind, DeviceRule, Operator, ResultDevice, ResultKind
from devlint.source.flow.evidence.given import is_given
from devlint.source.flow.modules.constructions import is_kept_from_outside
from devlint.source.flow.operators import waits
from devlint.source.flow.operators.binding import Bound, bind
from devlint.source.flow.operators.factories import make
from devlint.source.flow.operators.operands import (
    TensorArgument,
    deciding_operand,
    known_device,
    operand,
    tensor_arguments,
)
from devlint.source.flow.operators.places import wanted
from devlint.source.flow.operators.ranks import rank0_of
from devlint.source.flow.patterns.portability import PIN, note_pinned
from devlint.source.flow.patterns.strictness import note_array, note_host_data
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.lattice import join_all
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Container,
    DeviceValue,
    External,
    Generator,
    Literal,
    Tensor,
    Value,
)

DEFAULT_DEVICE = "the default device"
"""What stands for the device in an operation that names none."""
_SILENT = frozenset({DeviceRule.METADATA, DeviceRule.MOVES})


def apply(frame: Frame, site: SiteId, operator: Operator, passed: Sequence[Passed]) -> Value:
    """The result of an operator; notes the operation, its waits and its hidden transfers."""
    bound = bind(operator, passed)
    tensors = list(tensor_arguments(bound))
    if operator.rule not in _SILENT:
        _note_operation(frame, site, bound, tensors)
    waits.note(frame, site, bound)
    if operator.name == PIN or (operator.rule in MAKERS and bound.is_true("pin_memory")):
        note_pinned(frame, site, operator.name)
    if operator.result.kind is ResultKind.ARRAY:
        for tensor, read, *_ in tensors[:1] if _demands_host(bound) else ():
            note_array(frame, site, operator.name, tensor, read.expression)
        frame.read_as_array.update(each.tensor.device for each in tensors if isinstance(each.tensor, Tensor))
    if operator.rule is DeviceRule.COPIES_INTO:
        _note_copy(frame, site, bound)
    if any(is_accelerator(known_device(each.tensor)) for each in tensors):
        frame.work += 1
    return _result(frame, site, bound, tensors)


def _note_copy(frame: Frame, site: SiteId, bound: Bound) -> None:
    """Notes a copy between host and device that an operator does on the side: `buffer[i:j] = scores`."""
    if not bound.arguments:
        return
    target = bound.arguments[0][1].value
    written = bound.written
    if written is None or not isinstance(target, Tensor) or not isinstance(written.value, Tensor):
        return
    # What `copy_` takes is a tensor, whatever else showed it.
    source = replace(written.value, evident=True)
    if not target.evident or source.rank0 is True:
        return
    non_blocking = bound.is_true("non_blocking")
    down = target.device == CPU and may_be_accelerator(source.device)
    if not down and not (source.device == CPU and is_accelerator(target.device)):
        return
    shown = operand(source, written.expression, "value", presuming=True)
    name = bound.operator.name
    frame.emit(
        Transfer(
            site,
            frame.hot,
            Certainty.PROVEN,
            name,
            shown,
            source.device,
            target.device,
            explicit=name.endswith("copy_"),
            non_blocking=non_blocking,
        )
    )
    if down and (not non_blocking or _is_pageable(target)):
        waits.note_wait(frame, site, name, Cause.HOST_COPY, source, written)


def _is_pageable(target: Tensor) -> bool:
    """Whether host memory is known not to be pinned. Into it, `non_blocking=True` or not, a copy has arrived
    when it returns (CUDA Runtime API, "API synchronization behavior")."""
    made = target.origin.made()
    return made is not None and not made.tied


def _note_operation(frame: Frame, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> None:
    """Notes the operation if its operands' devices could conflict; once for each alternative path."""
    generator = bound.of_kind(ArgumentKind.GENERATOR)
    extra: list[Operand] = []
    if generator is not None and isinstance(generator.value, Generator):
        extra.append(operand(generator.value, generator.expression, "generator"))
        target = bound.of_kind(ArgumentKind.DEVICE)
        may_be_told = target is None and any(passed.stars == 2 for _, passed in bound.arguments)
        if bound.operator.rule is DeviceRule.FACTORY and not may_be_told:
            place = wanted(frame, target) if target is not None else frame.default_device
            shown = target.expression if target is not None else generator.expression
            text = "device" if target is not None else DEFAULT_DEVICE
            extra.append(Operand(text, shown.id, place.device, Kind.DEVICE, parameter="device"))
    for operands in _alternatives(tensors):
        devices = {o.device for o in operands if o.device != UNKNOWN}
        kept = any(is_kept_from_outside(o) for o in operands)
        if len(devices) > 1 or (devices and (kept or _demands_host(bound))) or extra:
            certainty = (
                Certainty.CONVENTION
                if any(isinstance(each.tensor, Tensor) and each.tensor.conventional for each in tensors)
                else Certainty.PROVEN
            )
            marked = tuple(replace(o, brought_down=_is_off_host(frame, o.device)) for o in operands)
            frame.emit(Operation(site, frame.hot, certainty, bound.operator.name, (*marked, *extra)))
    if (
        any(isinstance(each.tensor, Tensor) and not each.tensor.evident for each in tensors)
        and len(tensors) > 1
    ):
        believed = tuple(
            operand(t, p.expression, name, label, believing=True) for t, p, name, label in tensors
        )
        frame.demand(Operation(site, frame.hot, Certainty.PROVEN, bound.operator.name, believed))


def _is_off_host(frame: Frame, device: Device) -> bool:
    """Whether the function says that what is there may not be on the host: it brings some of it down, or asks
    where it is."""
    return device in frame.brought_down or (is_given(device) and device.name in frame.evidence.located)


def _demands_host(bound: Bound) -> bool:
    """Whether one operand alone can be in the wrong place."""
    operator = bound.operator
    if operator.result.kind is ResultKind.ARRAY:
        return not bound.is_true("force")
    return operator.rule is DeviceRule.HOST_ONLY_ARGUMENT or any(
        argument.host for argument in operator.arguments
    )


def _alternatives(tensors: list[TensorArgument]) -> Iterator[tuple[Operand, ...]]:
    """Operands with one alternative tensor at a time; the others' alternatives count as unknown, since two
    names that differ by path usually differ by the same path."""
    plain = tuple(operand(tensor, passed.expression, name, label) for tensor, passed, name, label in tensors)
    with_alternatives = [i for i, each in enumerate(tensors) if isinstance(each.tensor, Alternatives)]
    if not with_alternatives:
        yield plain
    for position in with_alternatives:
        tensor, passed, name, label = tensors[position]
        assert isinstance(tensor, Alternatives)
        for alternative in tensor.tensors:
            one = operand(alternative, passed.expression, name, label)
            yield (*plain[:position], one, *plain[position + 1 :])


def _result(frame: Frame, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Value:
    result = bound.operator.result
    match result.kind:
        case ResultKind.SELF:
            first = bound.arguments[0][1].value if bound.arguments else TOP
            if isinstance(first, Tensor) and bound.operator.rule is DeviceRule.COPIES_INTO:
                return replace(first, download=None)
            return first
        case ResultKind.TENSOR | ResultKind.TENSORS:
            tensor = _by_path(frame, site, bound, tensors)
            several = result.kind is ResultKind.TENSORS or any(
                bound.given(name) for name in result.tensors_with
            )
            if not several:
                return tensor
            return Container(replace(tensor, rank0=None) if isinstance(tensor, Tensor) else tensor)
        case ResultKind.SCALAR | ResultKind.CONTAINER:
            return SCALAR if result.kind is ResultKind.SCALAR else Container(SCALAR, data=True)
        case ResultKind.ARRAY:
            source = tensors[0].tensor if tensors else None
            return Array(source.origin if isinstance(source, Tensor) else NOWHERE)
        case ResultKind.DEVICE:
            source = tensors[0].tensor if tensors else None
            return device_of(source) if source is not None else TOP
        case ResultKind.NONE:
            return Literal(None)
        case _:
            return TOP


def device_of(tensor: Tensor | Alternatives) -> DeviceValue:
    """`x.device`."""
    if isinstance(tensor, Alternatives):
        return DeviceValue(UNKNOWN, is_object=True)
    return DeviceValue(tensor.device, tensor.anchor, is_object=True)


def _by_path(
    frame: Frame, site: SiteId, bound: Bound, tensors: list[TensorArgument]
) -> Tensor | Alternatives:
    """The result for each alternative of the one operand that has some."""
    split = [i for i, each in enumerate(tensors) if isinstance(each.tensor, Alternatives)]
    if len(split) != 1:
        return _result_tensor(frame, site, bound, tensors)
    held, passed, name, label = tensors[split[0]]
    assert isinstance(held, Alternatives)
    results: list[Value] = []
    for alternative in held.tensors:
        chosen = [*tensors]
        chosen[split[0]] = TensorArgument(alternative, passed, name, label)
        results.append(_result_tensor(frame, site, bound, chosen))
    joined = join_all(results)
    return joined if isinstance(joined, Tensor | Alternatives) else Tensor(UNKNOWN)


def _result_tensor(frame: Frame, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Tensor:
    operator, result = bound.operator, bound.operator.result
    rank0 = rank0_of(bound, tensors)
    boolean = result.boolean if result.boolean is not None else _stays_boolean(bound, tensors)
    dtype = bound.value("dtype")
    if isinstance(dtype, External):
        boolean = dtype.name == "torch.bool"
    if result.device is ResultDevice.ARGUMENT:
        made = make(frame, site, bound, tensors)
        return replace(made, rank0=rank0 if made.rank0 is None else made.rank0, boolean=boolean)
    source = deciding_operand(tensors, first_only=result.device is ResultDevice.FIRST)
    if (
        source is not None
        and result.device is not ResultDevice.FIRST
        and source.device == CPU
        and source.rank0 is not False
        and _meets_the_unknown(bound)
    ):
        # Should it have no dimensions, the result lies with the other operand.
        source = replace(source, device=UNKNOWN)
    if result.device is ResultDevice.HOST:
        if bound.given("device") or not bound.arguments:
            # `torch.Tensor()` has no elements: it stands for what is not there.
            return Tensor(UNKNOWN, rank0=rank0, boolean=boolean)
        implicit = operator.rule in MAKERS or operator.name.endswith("Tensor")
        if rank0 is not True and implicit:
            note_host_data(frame, site, operator.name)
        step = OriginStep(Step.MADE, site, CPU, operator.name, implicit=implicit)
        return Tensor(CPU, Origin((step,)), rank0=rank0, boolean=boolean)
    if source is None:
        return Tensor(UNKNOWN, rank0=rank0, boolean=boolean)
    evident = source.evident or not operator.name.startswith("torch.Tensor.")
    if result.kind is ResultKind.TENSORS and len({known_device(each.tensor) for each in tensors}) > 1:
        # `broadcast_tensors(a, b)` leaves each where it is.
        source = replace(source, device=UNKNOWN)
    return replace(
        source,
        rank0=rank0,
        boolean=boolean,
        evident=evident,
        untouched=False,
        walked=False,
        pinned=None,
    )


_BITWISE = frozenset({"and", "or", "xor", "invert"})


def _stays_boolean(bound: Bound, tensors: list[TensorArgument]) -> bool | None:
    """`a & b` and `~a` of boolean tensors are boolean."""
    last = bound.operator.name.rpartition(".")[2].strip("_").removeprefix("bitwise_")
    if (
        last not in _BITWISE
        and last.removeprefix("i") not in _BITWISE
        and last.removeprefix("r") not in _BITWISE
    ):
        return None
    known = [each.tensor.boolean for each in tensors if isinstance(each.tensor, Tensor)]
    return True if known and all(known) and len(known) == len(tensors) else None


def _meets_the_unknown(bound: Bound) -> bool:
    """Whether an operand may be a tensor that lies anywhere."""
    operands = [p.value for a, p in bound.arguments if a.kind is ArgumentKind.TENSOR]
    return len(operands) > 1 and any(
        v == TOP or (isinstance(v, Tensor) and (v.device == UNKNOWN or not v.evident)) for v in operands
    )
