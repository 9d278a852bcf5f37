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
    Concrete,
    Device,
    Kind,
    Operand,
    Operation,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Symbol,
    Transfer,
    is_accelerator,
    may_be_accelerator,
)
from devlint.operators import ArgumentKind, DeviceRule, Operator, Rank, ResultDevice, ResultKind
from devlint.source.flow import waits
from devlint.source.flow.binding import Bound, bind
from devlint.source.flow.frame import Frame, Passed
from devlint.source.flow.operands import operand, tensor_of, tensors_in
from devlint.source.flow.places import wanted
from devlint.source.flow.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Container,
    DeviceValue,
    External,
    Generator,
    Literal,
    Scalar,
    Tensor,
    Value,
    join_all,
)
from devlint.source.flow.waits import note_wait

_SILENT = frozenset({DeviceRule.METADATA, DeviceRule.MOVES})


def apply(frame: Frame, site: SiteId, operator: Operator, passed: Sequence[Passed]) -> Value:
    """The result of an operator; notes the operation, its waits and its hidden transfers."""
    bound = bind(operator, passed)
    tensors = list(_tensor_arguments(bound))
    if operator.rule not in _SILENT:
        _note_operation(frame, site, bound, tensors)
    waits.note(frame, site, bound)
    if operator.rule is DeviceRule.COPIES_INTO:
        _note_copy(frame, site, bound)
    if any(is_accelerator(_device(tensor)) for tensor, _, _, _ in tensors):
        frame.work += 1
    return _result(frame, site, bound, tensors)


def _note_copy(frame: Frame, site: SiteId, bound: Bound) -> None:
    """Notes a copy between host and device that an operator does on the side: `buffer[i:j] = scores`."""
    if not bound.arguments:
        return
    target = bound.arguments[0][1].value
    written = bound.passed("src") or bound.passed("value") or bound.passed("source")
    if written is None or not isinstance(target, Tensor) or not isinstance(written.value, Tensor):
        return
    source = written.value
    if not (target.evident and source.evident) or source.presumed or source.rank0 is True:
        return
    non_blocking = bound.is_true("non_blocking")
    down = target.device == CPU and may_be_accelerator(source.device)
    if not down and not (source.device == CPU and is_accelerator(target.device)):
        return
    shown = operand(source, written.expression, "value")
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
    if down and not non_blocking:
        waits.note_wait(frame, site, name, Cause.HOST_COPY, source, written)


_TensorArgument = tuple["Tensor | Alternatives", "Passed", str, str]


def _tensor_arguments(bound: Bound) -> Iterator[_TensorArgument]:
    """Each tensor operand with how it is written, the operator's name for it, and what to call it."""
    for argument, passed in bound.arguments:
        if argument.kind is ArgumentKind.TENSORS or isinstance(passed.value, Container):
            if argument.kind in (ArgumentKind.TENSORS, ArgumentKind.TENSOR):
                for tensor, expression, label in tensors_in(passed.value, passed.expression):
                    yield tensor, Passed(tensor, expression), argument.name, label
        elif argument.kind is ArgumentKind.TENSOR or argument.index:
            found = passed.value if isinstance(passed.value, Alternatives) else tensor_of(passed.value)
            if found is not None:
                yield found, passed, argument.name, ""


def _device(tensor: Tensor | Alternatives) -> Device:
    return tensor.device if isinstance(tensor, Tensor) and tensor.evident else UNKNOWN


def _note_operation(frame: Frame, site: SiteId, bound: Bound, tensors: list[_TensorArgument]) -> None:
    """Notes the operation if its operands' devices could conflict; once for each alternative path."""
    generator = bound.of_kind(ArgumentKind.GENERATOR)
    extra: list[Operand] = []
    if generator is not None and isinstance(generator.value, Generator):
        extra.append(operand(generator.value, generator.expression, "generator"))
        target = bound.of_kind(ArgumentKind.DEVICE)
        if bound.operator.rule is DeviceRule.FACTORY:
            place = wanted(frame, target) if target is not None else frame.default_device
            shown = target.expression if target is not None else generator.expression
            extra.append(Operand("device", shown.id, place.device, Kind.DEVICE, parameter="device"))
    for operands in _alternatives(tensors):
        devices = {o.device for o in operands if o.device != UNKNOWN}
        if len(devices) > 1 or (devices and _demands_host(bound)) or extra:
            certainty = (
                Certainty.CONVENTION
                if any(isinstance(tensor, Tensor) and tensor.conventional for tensor, _, _, _ in tensors)
                else Certainty.PROVEN
            )
            frame.emit(Operation(site, frame.hot, certainty, bound.operator.name, (*operands, *extra)))
    if (
        any(isinstance(tensor, Tensor) and not tensor.evident for tensor, _, _, _ in tensors)
        and len(tensors) > 1
    ):
        believed = tuple(
            operand(t, p.expression, name, label, believing=True) for t, p, name, label in tensors
        )
        frame.demand(Operation(site, frame.hot, Certainty.PROVEN, bound.operator.name, believed))


def _demands_host(bound: Bound) -> bool:
    """Whether one operand alone can be in the wrong place."""
    operator = bound.operator
    if operator.result.kind is ResultKind.ARRAY:
        return not bound.is_true("force")
    return operator.rule is DeviceRule.HOST_ONLY_ARGUMENT or any(
        argument.host for argument in operator.arguments
    )


def _alternatives(tensors: list[_TensorArgument]) -> Iterator[tuple[Operand, ...]]:
    """Operands with one alternative tensor at a time; the others' alternatives count as unknown, since two
    names that differ by path usually differ by the same path."""
    plain = tuple(operand(tensor, passed.expression, name, label) for tensor, passed, name, label in tensors)
    with_alternatives = [i for i, (tensor, _, _, _) in enumerate(tensors) if isinstance(tensor, Alternatives)]
    if not with_alternatives:
        yield plain
    for position in with_alternatives:
        tensor, passed, name, label = tensors[position]
        assert isinstance(tensor, Alternatives)
        for alternative in tensor.tensors:
            one = operand(alternative, passed.expression, name, label)
            yield (*plain[:position], one, *plain[position + 1 :])


def _result(frame: Frame, site: SiteId, bound: Bound, tensors: list[_TensorArgument]) -> Value:
    operator, result = bound.operator, bound.operator.result
    match result.kind:
        case ResultKind.SELF:
            first = bound.arguments[0][1].value if bound.arguments else TOP
            return _after_in_place(first, bound)
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
            source = tensors[0][0] if tensors else None
            return Array(source.origin if isinstance(source, Tensor) else NOWHERE)
        case ResultKind.DEVICE:
            source = tensors[0][0] if tensors else None
            return device_of(source) if source is not None else TOP
        case ResultKind.NONE:
            return Literal(None)
        case _:
            return TOP


def _after_in_place(first: Value, bound: Bound) -> Value:
    """In-place operators give their first operand. What is written to it from outside may prove it a tensor."""
    if isinstance(first, Tensor):
        return replace(first, download=None) if bound.operator.rule is DeviceRule.COPIES_INTO else first
    return first


def device_of(tensor: Tensor | Alternatives) -> DeviceValue:
    """`x.device`."""
    if isinstance(tensor, Alternatives):
        return DeviceValue(UNKNOWN, is_object=True)
    return DeviceValue(tensor.device, tensor.anchor, is_object=True)


def _by_path(
    frame: Frame, site: SiteId, bound: Bound, tensors: list[_TensorArgument]
) -> Tensor | Alternatives:
    """The result for each alternative of the one operand that has some."""
    split = [i for i, (tensor, _, _, _) in enumerate(tensors) if isinstance(tensor, Alternatives)]
    if len(split) != 1:
        return _result_tensor(frame, site, bound, tensors)
    held, passed, name, label = tensors[split[0]]
    assert isinstance(held, Alternatives)
    results: list[Value] = []
    for alternative in held.tensors:
        chosen = [*tensors]
        chosen[split[0]] = (alternative, passed, name, label)
        results.append(_result_tensor(frame, site, bound, chosen))
    joined = join_all(results)
    return joined if isinstance(joined, Tensor | Alternatives) else Tensor(UNKNOWN)


def _result_tensor(frame: Frame, site: SiteId, bound: Bound, tensors: list[_TensorArgument]) -> Tensor:
    operator, result = bound.operator, bound.operator.result
    rank0 = _rank0(bound, tensors)
    boolean = result.boolean if result.boolean is not None else _stays_boolean(bound, tensors)
    dtype = bound.value("dtype")
    if isinstance(dtype, External):
        boolean = dtype.name == "torch.bool"
    if result.device is ResultDevice.ARGUMENT:
        made = _made(frame, site, bound, tensors)
        return replace(made, rank0=rank0 if made.rank0 is None else made.rank0, boolean=boolean)
    source = _source(tensors, first_only=result.device is ResultDevice.FIRST)
    if source is not None and source.device == CPU and source.rank0 is not False and _meets_the_unknown(bound):
        # Should it have no dimensions, the result lies with the other operand.
        source = replace(source, device=UNKNOWN)
    if result.device is ResultDevice.HOST:
        step = OriginStep(Step.MADE, site, CPU, operator.name)
        return Tensor(CPU, Origin((step,)), rank0=rank0, boolean=boolean)
    if source is None:
        return Tensor(UNKNOWN, rank0=rank0, boolean=boolean)
    evident = source.evident or not operator.name.startswith("torch.Tensor.")
    if result.kind is ResultKind.TENSORS and len({_device(tensor) for tensor, _, _, _ in tensors}) > 1:
        # `broadcast_tensors(a, b)` leaves each where it is.
        source = replace(source, device=UNKNOWN)
    return replace(source, rank0=rank0, boolean=boolean, evident=evident, untouched=False, walked=False)


_BITWISE = frozenset({"and", "or", "xor", "invert"})


def _stays_boolean(bound: Bound, tensors: list[_TensorArgument]) -> bool | None:
    """`a & b` and `~a` of boolean tensors are boolean."""
    last = bound.operator.name.rpartition(".")[2].strip("_").removeprefix("bitwise_")
    if (
        last not in _BITWISE
        and last.removeprefix("i") not in _BITWISE
        and last.removeprefix("r") not in _BITWISE
    ):
        return None
    known = [tensor.boolean for tensor, _, _, _ in tensors if isinstance(tensor, Tensor)]
    return True if known and all(known) and len(known) == len(tensors) else None


def _source(tensors: list[_TensorArgument], *, first_only: bool) -> Tensor | None:
    """The operand that decides where the result is: the first that is not a 0-dim host tensor, known before
    unknown. Two symbols that meet are taken for one device: otherwise the operation would have raised."""
    candidates: list[Tensor] = []
    for tensor, _, _, _ in tensors:
        if isinstance(tensor, Alternatives):
            # Where the alternatives meet a known device, the operation has raised for the others.
            candidates.append(Tensor(UNKNOWN))
        else:
            candidates.append(tensor)
        if first_only:
            break
    if not candidates:
        return None
    movable = [t for t in candidates if not (t.device == CPU and t.rank0)] or candidates
    known = [t for t in movable if t.device != UNKNOWN and t.evident]
    hinted = [t for t in movable if t.device != UNKNOWN]
    if len(known) > 1:
        outside = [t for t in known if isinstance(t.device, Symbol) or is_accelerator(t.device)]
        if outside and len(outside) < len(known):
            return outside[0]
    return (known or hinted or movable)[0]


def _meets_the_unknown(bound: Bound) -> bool:
    """Whether an operand may be a tensor that lies anywhere."""
    operands = [p.value for a, p in bound.arguments if a.kind is ArgumentKind.TENSOR]
    return len(operands) > 1 and any(v == TOP or (isinstance(v, Tensor) and not v.evident) for v in operands)


def _rank0(bound: Bound, tensors: list[_TensorArgument]) -> bool | None:
    match bound.operator.result.rank:
        case Rank.ZERO:
            return True
        case Rank.NONZERO:
            return False
        case Rank.ZERO_WITHOUT_DIM:
            if bound.given("dim") or bound.given("axis") or any(p.stars for _, p in bound.arguments):
                return None
            return not any(argument.name == "dim" for argument, _ in bound.arguments)
        case Rank.OPERANDS:
            ranks = [tensor.rank0 if isinstance(tensor, Tensor) else None for tensor, _, _, _ in tensors]
            others = [p.value for a, p in bound.arguments if a.kind is ArgumentKind.TENSOR]
            if any(rank is False for rank in ranks):
                return False
            known = all(rank for rank in ranks) and all(
                isinstance(o, Tensor | Literal) or o == SCALAR for o in others
            )
            return True if ranks and known else None
        case _ if bound.operator.rule is DeviceRule.FACTORY:
            return _rank0_of_shape(bound)
        case _:
            return _rank0_kept(bound, tensors)


def _rank0_of_shape(bound: Bound) -> bool | None:
    """Whether a factory with an explicit shape or data makes a 0-dim tensor."""
    shapes = [
        passed
        for argument, passed in bound.arguments
        if argument.name in {"size", "data", "obj", "shape"}
        or not (argument.name or passed.keyword)
        or (isinstance(passed.value, Container) and not passed.keyword)
    ]
    if bound.operator.name.rpartition(".")[2] in _ALWAYS_WITH_DIMENSIONS:
        return False
    if not shapes or any(passed.stars for passed in shapes):
        return None if not shapes else False
    first = shapes[0].value
    if bound.passed("data") is not None or bound.passed("obj") is not None:
        return _rank0_of_data(first)
    if isinstance(first, Container) and first.items is not None:
        return not first.items
    return False


_ALWAYS_WITH_DIMENSIONS = frozenset(
    {"arange", "linspace", "logspace", "eye", "randperm", "range", "tril_indices", "triu_indices"}
)
"""Factories that never make a 0-dim tensor."""
_MAY_DROP_DIMENSIONS = frozenset(
    {"squeeze", "squeeze_", "select", "view", "reshape", "__getitem__", "unbind", "dot", "vdot", "inner", "trace", "det",
     "logdet", "norm", "sum_to_size", "item", "take", "index", "einsum", "tensordot", "matmul", "__matmul__",
     "__rmatmul__", "reduce", "unflatten", "loss"}
)  # fmt: skip
"""Operators that can make a 0-dim tensor of one with dimensions, besides reductions, whose rank the table knows."""


def _rank0_kept(bound: Bound, tensors: list[_TensorArgument]) -> bool | None:
    """Whether an operator of which the table says nothing keeps its operands' dimensions: most do."""
    last = bound.operator.name.rpartition(".")[2]
    if last in {"view", "reshape", "expand"} and len(bound.arguments) > 2:
        return False
    if (
        last in _MAY_DROP_DIMENSIONS
        or last.endswith("_loss")
        or bound.operator.name.startswith("torch.nn.functional.")
    ):
        return None
    ranks = [tensor.rank0 if isinstance(tensor, Tensor) else None for tensor, _, _, _ in tensors]
    return False if ranks and all(rank is False for rank in ranks) else None


def _rank0_of_data(data: Value) -> bool | None:
    match data:
        case Literal() | Tensor(rank0=True):
            return True
        case Container() | Tensor(rank0=False):
            return False
        case _:
            return None


def _made(frame: Frame, site: SiteId, bound: Bound, tensors: list[_TensorArgument]) -> Tensor:
    """What a factory, or a `*_like` operator, makes."""
    operator = bound.operator
    target = bound.of_kind(ArgumentKind.DEVICE)
    if target is not None and target.value != Literal(None):
        place = wanted(frame, target)
        if is_accelerator(place.device) and isinstance(place.device, Concrete):
            frame.program.initialized_by(site)
        step = OriginStep(Step.MADE, site, place.device, operator.name)
        _note_upload(frame, site, bound, place.device)
        return Tensor(place.device, Origin((step,)), anchor=place.text)
    if any(passed.stars == 2 for _, passed in bound.arguments):
        return Tensor(UNKNOWN)
    source = _source(tensors, first_only=True)
    if source is not None and operator.rule is DeviceRule.LIKE:
        if not source.evident and bound.arguments[0][0].name in {"data", "obj"}:
            return Tensor(UNKNOWN)
        evident = source.evident or not operator.name.startswith("torch.Tensor.")
        return replace(source, attribute="", evident=evident, untouched=False, walked=False)
    data = bound.value("data") or bound.value("obj")
    if isinstance(data, Tensor) and data.evident:
        return replace(data, anchor="", attribute="")
    if operator.rule is DeviceRule.LIKE and _stays_with_first(bound):
        return Tensor(UNKNOWN)
    return _on_default_device(frame, site, bound)


def _note_upload(frame: Frame, site: SiteId, bound: Bound, target: Device) -> None:
    """Notes the copy of Python numbers or an array that a factory makes a device tensor of."""
    data = bound.passed("data") or bound.passed("obj")
    if (
        data is None
        or not isinstance(data.value, Literal | Container | Array | Scalar)
        or not may_be_accelerator(target)
    ):
        return
    rank0 = True if isinstance(data.value, Literal | Scalar) else None
    shown = replace(operand(data.value, data.expression, "data"), device=CPU, rank0=rank0)
    frame.emit(
        Transfer(site, frame.hot, Certainty.PROVEN, bound.operator.name, shown, CPU, target, explicit=False)
    )


def _is_placeholder(bound: Bound) -> bool:
    """`torch.empty(0)` stands for a tensor that is not there."""
    if len(bound.arguments) != 1:
        return False
    size = bound.arguments[0][1].value
    return size == Literal(0) or (isinstance(size, Container) and size.items == ((0, Literal(0)),))


def _stays_with_first(bound: Bound) -> bool:
    """Whether the result lies with a first argument that is no number and may be a tensor somewhere."""
    if not bound.arguments:
        return True
    first, passed = bound.arguments[0]
    if first.name in {"input", "self"}:
        return True
    return first.name in {"data", "obj"} and passed.value == TOP


_TIES = ("generator", "out", "pin_memory")
"""Arguments that bind a factory call to the device that it takes by default."""


def _on_default_device(frame: Frame, site: SiteId, bound: Bound) -> Tensor:
    device = UNKNOWN if _is_placeholder(bound) else frame.default_device.device
    for argument, passed in bound.arguments:
        if argument.name == "size" and isinstance(passed.value, Tensor):
            note_wait(
                frame, passed.expression.id, bound.operator.name, Cause.HIDDEN_READ, passed.value, passed
            )
    tied = any(bound.given(name) for name in _TIES)
    step = OriginStep(Step.MADE, site, device, bound.operator.name, implicit=device == CPU, tied=tied)
    return Tensor(device, Origin((step,)))
