"""The results of the operators of the table."""

from __future__ import annotations

from devlint.model import (
    CPU,
    NOWHERE,
    UNKNOWN,
    Confidence,
    Origin,
    OriginStep,
    Rank0,
    SiteId,
    Step,
    is_accelerator,
)
from devlint.operators import (
    MAKERS,
    ArgumentKind,
    DeviceRule,
    Dimensions,
    ResultDevice,
    ResultKind,
    takes_host_data,
)
from devlint.rules.transfer import SMALL
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    SCALAR,
    TOP,
    Array,
    DeviceValue,
    External,
    Method,
    Tensor,
    Top,
    Value,
    changed,
)
from devlint.source.machine.heap.defaults import tensor_type_device
from devlint.source.machine.heap.frames import cell_of
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.booleans import is_boolean
from devlint.source.machine.operators.factories import make
from devlint.source.machine.operators.floating import is_floating, number_of
from devlint.source.machine.operators.gradients import is_in_graph
from devlint.source.machine.operators.operands import (
    TensorArgument,
    deciding_operand,
    may_be_number,
)
from devlint.source.machine.operators.pinning import computed
from devlint.source.machine.operators.ranks import rank0_of, rank0_of_part
from devlint.source.machine.operators.repetition import made_in, note_write
from devlint.source.machine.operators.result_shapes import shape_of_part, shape_of_result
from devlint.source.machine.operators.shapes import bytes_of, itemsize_kept, itemsize_made, shape_constructed

_RESIZE = frozenset(
    {
        "as_strided_",
        "resize_",
        "resize_as_",
        "set_",
        "squeeze_",
        "swapaxes_",
        "swapdims_",
        "t_",
        "transpose_",
        "unsqueeze_",
    }
)
"""Methods that resize a tensor in place."""
_RAISES_ON_SEVERAL = frozenset({DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST})
"""The rules of operators that raise for operands on several devices."""


def result_of(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Value:
    """The result of an operator: one value, several, or the first operand after a change in place."""
    result = bound.operator.result
    note_write(machine, bound)
    _resize_out(machine, bound)
    match result.kind:
        case ResultKind.SELF:
            return _changed_in_place(machine, site, bound, tensors)
        case ResultKind.TENSOR | ResultKind.TENSORS:
            tensor = _result_tensor(machine, site, bound, tensors)
            several = result.kind is ResultKind.TENSORS or any(
                bound.has_value(name) for name in result.tensors_with
            )
            if not several:
                return tensor
            if result.rank is not Dimensions.ZERO_WITHOUT_DIM:  # parts differ from the whole in size
                shape, rank0 = shape_of_part(bound, tensors), rank0_of_part(bound, tensors)
                tensor = changed(tensor, rank0=rank0 if shape is None else not shape, shape=shape)
            return machine.adopt(Container("tuple", element=tensor))
        case ResultKind.SCALAR:
            return number_of(bound, tensors)
        case ResultKind.CONTAINER:
            return machine.adopt(Container("list", element=SCALAR))
        case ResultKind.ARRAY:
            source = tensors[0].tensor if tensors else None
            return Array() if source is None else _array_of(source)
        case ResultKind.DEVICE:
            return DeviceValue(tensors[0].tensor.device) if tensors else TOP
        case ResultKind.NONE:
            return NONE
        case _:
            return TOP


def _array_of(tensor: Tensor) -> Array:
    """The array with the values of a tensor."""
    rank = len(tensor.shape or ())
    size = bytes_of(tensor)
    is_large = rank > 1 and (size is None or size > SMALL)
    dimensions = 2 if is_large else int(rank == 1)
    return Array(tensor.origin, boolean=tensor.boolean is True, dimensions=dimensions, least=rank)


def _resize_out(machine: Machine, bound: Bound) -> None:
    """Forget the sizes of the tensor that is passed as `out`, which the operator resizes."""
    out = bound.passed("out")
    cell = None if out is None else cell_of(out.expression, machine.frame)
    held = None if cell is None else cell[0].cells.get(cell[1])
    if cell is not None and isinstance(held, Tensor) and held.shape is not None:
        machine.store.write(*cell, changed(held, rank0=None, shape=None))


def _changed_in_place(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Value:
    """The first operand with new values, which the name that holds it has from here on."""
    first = bound.arguments[0][1].value if bound.arguments else TOP
    if not isinstance(first, Tensor):
        return first
    result = changed(first, download=None, born=machine.execution.loop)
    if bound.operator.name.rpartition(".")[2] in _RESIZE:
        result = changed(result, rank0=None, shape=None)
    elsewhere = deciding_operand(tensors, first_only=False)
    raises = first.device == CPU and bound.operator.rule in _RAISES_ON_SEVERAL
    if raises and elsewhere is not None and is_accelerator(elsewhere.device):
        # The operation raises, unless the first operand had been created where the others are.
        place = changed(result, device=elsewhere.device, origin=elsewhere.origin)
        result = changed(place, mixed_at=_mixed_at(site, place, tensors))
    expression = bound.arguments[0][1].expression
    cell = cell_of(expression, machine.frame)
    if cell is not None and _is_same(cell[0].cells.get(cell[1]), first):
        machine.store.write(*cell, result)
    return result


def _is_same(held: Value | None, tensor: Tensor) -> bool:
    return isinstance(held, Tensor) and held.serial == tensor.serial and held.device == tensor.device


def _result_tensor(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Tensor:
    result = bound.operator.result
    shape = shape_of_result(bound, tensors)
    rank0 = rank0_of(bound, tensors) if shape is None else not shape
    boolean, floating = is_boolean(bound, tensors), is_floating(bound, tensors)
    if result.device is ResultDevice.ARGUMENT:
        made = make(machine, site, bound, tensors)
        rank0 = rank0 if made.rank0 is None else made.rank0
        return changed(made, rank0=rank0, boolean=boolean, floating=floating, in_graph=False)
    if result.device is ResultDevice.HOST:
        return _made_on_host(machine, site, bound, rank0=rank0, boolean=boolean, floating=floating)
    source = deciding_operand(tensors, first_only=result.device is ResultDevice.FIRST)
    if source is None:
        return Tensor(UNKNOWN, rank0=rank0, boolean=boolean, serial=new_serial(), born=machine.execution.loop)
    if result.kind is ResultKind.TENSORS and len({each.tensor.device for each in tensors}) > 1:
        # `broadcast_tensors(a, b)` leaves each where it is.
        source = changed(source, device=UNKNOWN)
    confidence = _sureness_of_place(source, [each.tensor for each in tensors])
    unknown = [each.tensor for each in tensors if each.tensor.device == UNKNOWN]
    are_numbers = source.rank0 is False and all(map(_is_number_supposed, unknown))
    if source.device == CPU and unknown and not are_numbers:
        # Only if the other one is on the host too; otherwise the operation raises.
        confidence = Confidence.POSSIBLE
    elif source.device == CPU and source.rank0 is True and _is_beside_unknown(bound):
        confidence = Confidence.POSSIBLE  # only if the other one is a number
    is_view = result.device is ResultDevice.FIRST
    return Tensor(
        source.device,
        source.origin,
        rank0=rank0,
        boolean=boolean,
        floating=floating,
        confidence=confidence,
        attribute=source.attribute if is_view else "",
        serial=source.serial if is_view else new_serial(),
        born=source.born if is_view else machine.execution.loop,
        source=source.source,
        assured=source.source is not None and any(_is_tensor_anyway(each.tensor) for each in tensors),
        activation=source.activation if is_view else machine.frame.number,
        left_behind=source.left_behind and is_view,
        pinned=source.pinned if is_view else computed(source, _size(bound)),
        shape=() if rank0 is True else shape,
        itemsize=itemsize_kept(bound, source),
        element=source.element and is_view,
        outcomes=frozenset().union(*(each.tensor.outcomes for each in tensors)),
        mixed_at=_mixed_at(site, source, tensors),
        in_graph=is_in_graph(bound, tensors),
    )


def _sureness_of_place(source: Tensor, operands: list[Tensor]) -> Confidence:
    """The confidence of where a result lies. What lies on a device, or else the operation raises, decides
    alone, whatever the others are; beside what lies on the host, an operand that does not decides, unless
    nothing shows that it is a tensor."""
    if source.device == CPU and source.rank0 is False:
        tensors = [each for each in operands if not _is_number_supposed(each)]
        likely = () if len(tensors) == len(operands) else (Confidence.LIKELY,)
        return least_sure(*likely, *(each.confidence for each in tensors))
    if source.device in (CPU, UNKNOWN):
        return least_sure(*(each.confidence for each in operands))
    known = [each for each in operands if each.device == source.device and _is_tensor_anyway(each)]
    if known:
        return min((each.confidence for each in known), key=lambda each: each.rank)
    return least_sure(*(each.confidence for each in operands if each.device != CPU))


def _is_number_supposed(operand: Tensor) -> bool:
    """Whether nothing shows that a value which a hypothesis provides is a tensor."""
    return may_be_number(operand) and operand.source is not None and not operand.source.evident


def _is_beside_unknown(bound: Bound) -> bool:
    """Whether another operand may be a tensor on any device. An attribute of an object of a library is a
    `Method` here, even if it is a tensor."""
    tensors = (passed.value for argument, passed in bound.arguments if argument.kind is ArgumentKind.TENSOR)
    return any(isinstance(each, (External, Method, Top)) for each in tensors)


def _size(bound: Bound) -> Dimensions:
    """What decides the size of a result; what joins a list of tensors has all of their elements."""
    joins = any(each.kind is ArgumentKind.TENSORS for each in bound.operator.arguments)
    return Dimensions.OPERANDS if joins else bound.operator.result.rank


def _mixed_at(site: SiteId, source: Tensor, tensors: list[TensorArgument]) -> SiteId | None:
    """The operation on operands of several devices that decides where a result lies: this one or, if an
    operand that lies where the result does is such a result, an earlier one."""
    for each in tensors:
        if each.tensor.mixed_at is not None and each.tensor.device == source.device:
            return each.tensor.mixed_at
    mixed = len({each.tensor.device for each in tensors} - {UNKNOWN}) > 1
    return site if mixed else None


def _is_tensor_anyway(operand: Tensor) -> bool:
    """Whether an operand is a tensor even if an input on which it depends is none."""
    return operand.source is None or operand.source.evident or operand.assured


def _made_on_host(
    machine: Machine,
    site: SiteId,
    bound: Bound,
    *,
    rank0: Rank0,
    boolean: bool | None,
    floating: bool | None,
) -> Tensor:
    operator = bound.operator
    born = made_in(machine, bound)
    if bound.has_value("device"):
        return Tensor(UNKNOWN, rank0=rank0, boolean=boolean, serial=new_serial(), born=born)
    first = bound.arguments[0][1].value if bound.arguments else None
    # A legacy constructor returns a tensor as it is, or raises (torch/csrc/utils/tensor_new.cpp).
    kept = tensor_of(first) if first is not None and operator.name.endswith("Tensor") else None
    if kept is not None and (kept.source is None or kept.source.evident):
        return kept
    device = tensor_type_device(machine) if operator.name == "torch.Tensor" else CPU
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
        floating=floating,
        confidence=Confidence.POSSIBLE if kept is not None else Confidence.CERTAIN,
        serial=new_serial(),
        born=born,
        shape=shape_constructed(bound),
        itemsize=itemsize_made(bound),
        activation=machine.frame.number,
        pinned=False if _is_pageable(first) and not takes_host_data(operator.name) else None,
    )


def _is_pageable(held: Value | None) -> bool:
    """Whether data of more than a few numbers are in pageable memory, as the batches of a loader are by
    default. A legacy constructor returns such a batch as it is."""
    tensor = None if held is None else tensor_of(held)
    if tensor is not None:
        return tensor.device == CPU and tensor.pinned is False
    return isinstance(held, Array) and (held.drawn or held.dimensions > 1)
