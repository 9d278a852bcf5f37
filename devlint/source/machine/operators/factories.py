"""Factories: the tensors that they create, and their devices."""

from __future__ import annotations

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Confidence,
    Device,
    Operand,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
    Transfer,
    may_be_accelerator,
)
from devlint.operators import ArgumentKind, DeviceRule, Dimensions
from devlint.source import ir
from devlint.source.machine.domain import dtypes
from devlint.source.machine.domain.dtypes import UNKNOWN_DTYPE
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    Array,
    DeviceValue,
    External,
    Known,
    OmittedArgument,
    Reference,
    Scalar,
    Tensor,
    Top,
    Value,
    changed,
)
from devlint.source.machine.heap.defaults import default_device
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators import accelerator, implicit, pinning
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.devices import note_query, spelled_out, wanted
from devlint.source.machine.operators.move_targets import Target
from devlint.source.machine.operators.moves import TensorMove, move_tensor
from devlint.source.machine.operators.operands import TensorArgument, deciding_operand, operand
from devlint.source.machine.operators.repetition import made_in
from devlint.source.machine.operators.shapes import bytes_written, itemsize_made, shape_made
from devlint.source.machine.operators.waits import note_wait
from devlint.source.walk import path, walk

_OF_HELPER = Symbol("device", SymbolKind.DEVICE)
"""The device that a helper takes, and that is left out."""
_TIES = ("generator", "pin_memory")
"""Arguments that keep a factory call on the device that it uses by default."""
_CONVERSIONS = frozenset({"torch.as_tensor", "torch.asarray"})
"""Functions that return the tensor that they are given, where it is to be."""
_TENSOR = External("torch.Tensor")
_OF_NUMBERS = frozenset({"torch.tensor", "torch.Tensor.new_tensor"})


def make(machine: Machine, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Tensor:
    """The result of a factory or a `*_like` operator."""
    operator = bound.operator
    out = bound.value("out")
    written = None if out is None else tensor_of(out)
    if written is not None:
        return changed(written, rank0=None, shape=None)
    if bound.is_true("pin_memory"):
        pinning.note(machine, site, operator.name)
    target = bound.of_kind(ArgumentKind.DEVICE)
    if target is not None and target.value != NONE:
        place = wanted(machine, target)
        moved = _moved(machine, site, bound, place, target)
        return _made_on(machine, site, bound, place) if moved is None else moved
    if bound.has_unknown_keywords or out not in (None, NONE):
        return Tensor(UNKNOWN, serial=new_serial(), born=machine.execution.loop)
    data = bound.value("data") or bound.value("obj") or bound.value("values")
    of_host = isinstance(data, Input) and _is_of_host(machine, operator.name, data)
    source = deciding_operand(tensors, first_only=True)
    if source is not None and operator.rule in (DeviceRule.LIKE, DeviceRule.SAME) and not of_host:
        _note_upload(machine, site, bound, source.device, source)
        return _like(machine, source, bound)
    if isinstance(data, Tensor):
        return changed(data, attribute="", role="")
    unknown = isinstance(data, Top) and operator.rule is not DeviceRule.FACTORY
    # The operand of `zeros_like` and similar operators is a tensor, never a number.
    of_unknown = operator.result.rank is Dimensions.OPERANDS and not bound.has_value("size")
    copies = isinstance(data, Input) and not of_host
    if copies or unknown or of_unknown:
        return Tensor(UNKNOWN, serial=new_serial(), born=machine.execution.loop)
    _note_support(machine, site, bound, target)
    made = _on_default_device(machine, site, bound)
    if target is not None and isinstance(target.value, OmittedArgument):
        return changed(made, confidence=Confidence.POSSIBLE)
    return changed(made, confidence=Confidence.LIKELY) if isinstance(data, Input) else made


def _note_support(machine: Machine, site: SiteId, bound: Bound, target: Passed | None) -> None:
    """Record that the code of a hypothesis works for tensors on any device: it takes over the dtype of one,
    or leaves out a device that its helper takes."""
    if target is not None and _is_parameter(machine, target.expression):
        note_query(machine, site, _OF_HELPER)
    dtype = next((passed for argument, passed in bound.arguments if argument.name == "dtype"), None)
    if dtype is not None and isinstance(dtype.expression, ir.Attribute) and dtype.expression.name == "dtype":
        like = tensor_of(machine.evaluate(dtype.expression.value, machine.frame))
        if like is not None:
            note_query(machine, site, like.device)


def _is_parameter(machine: Machine, expression: ir.Expression) -> bool:
    """Whether an argument is a parameter of the running function."""
    function = machine.frame.function
    if function is None or not isinstance(expression, ir.Name):
        return False
    return any(each.name == expression.name for each in function.node.parameters)


def _moved(machine: Machine, site: SiteId, bound: Bound, place: DeviceValue, named: Passed) -> Tensor | None:
    """The tensor that `torch.as_tensor` or `torch.asarray` moves to a device; None if it is given none."""
    first = bound.arguments[0][1] if bound.operator.name in _CONVERSIONS and bound.arguments else None
    if first is None or not isinstance(first.value, Tensor):
        return None
    asked = bound.value("dtype")
    dtype = dtypes.named(asked) or UNKNOWN_DTYPE
    target = Target(place, named.site, asked not in (None, NONE), False, False, dtype=dtype)
    move = TensorMove(site, bound.operator.name, first, first.value, target, None, assignable=False)
    return move_tensor(machine, move)


def _is_of_host(machine: Machine, name: str, data: Input) -> bool:
    """Whether a factory most likely creates a tensor of values on the host.

    `torch.tensor` warns if it is given a tensor (torch/csrc/utils/tensor_new.cpp). What a module's
    constructor converts are numbers, or a tensor that lies on the host: the module is moved later.
    """
    if name in _CONVERSIONS:
        may_be_tensor = data.has_device or _may_be_tensor(machine, data)
        return data.device == UNKNOWN and _constructs_module(machine) and not may_be_tensor
    return name == "torch.tensor" and not data.evident and not data.presumed


def _constructs_module(machine: Machine) -> bool:
    """Whether the running function is the constructor of a module."""
    function = machine.frame.function
    if function is None or function.name != "__init__" or function.owner is None:
        return False
    return any(map(is_module_class, function.owner.externals))


def _may_be_tensor(machine: Machine, argument: Input) -> bool:
    """Whether the annotation of an argument of the running function allows a tensor."""
    function = machine.frame.function
    parameters = () if function is None else function.node.parameters
    stated = (each.annotation for each in parameters if each.name == argument.name)
    nodes = walk([each for each in stated if each is not None])
    named = (each for each in nodes if isinstance(each, (ir.Name, ir.Attribute)) and path(each))
    return any(machine.evaluate(each, machine.frame) == _TENSOR for each in named)


def _like(machine: Machine, source: Tensor, bound: Bound) -> Tensor:
    has_its_sizes = bound.operator.result.rank is Dimensions.OPERANDS
    return Tensor(
        source.device,
        source.origin,
        rank0=source.rank0 if has_its_sizes else None,
        shape=source.shape if has_its_sizes else shape_made(bound),
        itemsize=itemsize_made(bound),
        confidence=source.confidence,
        serial=new_serial(),
        born=machine.execution.loop,
        pinned=False if has_its_sizes and source.pinned is False else None,
        source=source.source,
        assured=source.assured,
    )


def _made_on(machine: Machine, site: SiteId, bound: Bound, place: DeviceValue) -> Tensor:
    accelerator.use(machine, site, place.device)
    _note_upload(machine, site, bound, place.device)
    step = OriginStep(Step.MADE, site, place.device, bound.operator.name)
    return Tensor(
        place.device,
        Origin((step,)),
        spelled=spelled_out(place),
        confidence=place.confidence,
        serial=new_serial(),
        born=machine.execution.loop,
        pinned=True if bound.is_true("pin_memory") else None,
        shape=shape_made(bound),
        itemsize=itemsize_made(bound),
        activation=machine.frame.number,
    )


def _on_default_device(machine: Machine, site: SiteId, bound: Bound) -> Tensor:
    device = default_device(machine)
    if machine.worker is None:
        device = machine.repaired.get(site, device)
    for argument, passed in bound.arguments:
        if argument.name == "size" and isinstance(passed.value, Tensor):
            name = bound.operator.name
            note_wait(machine, passed.site, name, Cause.HIDDEN_READ, passed.value, passed)
    tied = any(bound.has_value(name) for name in _TIES)
    if not _is_placeholder(bound) and not isinstance(bound.value("data"), (Known, Scalar)):
        implicit.note(machine, site, bound.operator.name)
    step = OriginStep(
        Step.MADE,
        site,
        device,
        bound.operator.name,
        implicit=True,
        tied=tied,
        rounds=bound.operator.name == "torch.arange" and not _counts(bound),
    )
    return Tensor(
        device,
        Origin((step,)),
        rank0=_is_placeholder(bound) or None,
        serial=new_serial(),
        born=made_in(machine, bound),
        pinned=True if bound.is_true("pin_memory") else None,
        shape=shape_made(bound),
        itemsize=itemsize_made(bound),
        activation=machine.frame.number,
    )


def _counts(bound: Bound) -> bool:
    """Whether a range certainly consists of integers, which are exact on each device.

    Other ranges are computed in double precision by the CPU, and by CUDA in the accumulation type of the
    dtype, which for float32 is float32 (aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp,
    cuda/RangeFactories.cu, `acc_type`).
    """
    if bound.passed("end") is None and bound.passed("step") is None:
        return True
    given = [bound.value(name) for name in ("start", "step") if bound.passed(name) is not None]
    return all(isinstance(each, Known) and isinstance(each.value, int) for each in given)


def _is_placeholder(bound: Bound) -> bool:
    """Whether a tensor has no elements: `torch.empty(0)`, `torch.tensor([])`.

    `cat` ignores such tensors on any device, as other operators ignore the devices of host tensors without
    dimensions.
    """
    sizes = [passed.value for argument, passed in bound.arguments if argument.name == "size"]
    data = bound.value("data")
    if isinstance(data, Reference) and isinstance(data.target, Container):
        return data.target.exact and not data.target.length
    return sizes == [Known(0)]


def _note_upload(
    machine: Machine, site: SiteId, bound: Bound, target: Device, reference: Tensor | None = None
) -> None:
    """Record the copy of Python numbers or an array from which a factory creates a device tensor.
    `reference`, if given, determines the device: `x.new_tensor(data)`."""
    data = bound.passed("data") or bound.passed("obj")
    if data is None or not may_be_accelerator(target):
        return
    surely = _on_host(data.value, bound.operator.name)
    if surely is None:
        return
    shown = operand(data.value, data, "data")
    rank0 = True if isinstance(data.value, (Known, Scalar)) else None
    shown = Operand(shown.path, shown.site, CPU, shown.kind, shown.origin, "data", rank0)
    if reference is not None:
        surely = least_sure(surely, reference.confidence)
    event = Transfer(
        site,
        None,
        least_sure(machine.root_confidence, surely),
        bound.operator.name,
        shown,
        CPU,
        target,
        explicit=False,
        bytes=bytes_written(data),
    )
    machine.note(event, () if reference is None or reference.source is None else (reference.source,))


def _on_host(data: Value, factory: str) -> Confidence | None:
    """The confidence that a device tensor is created from host data; None if that is not known.

    `torch.tensor` and `new_tensor` warn if their argument is a tensor, so it is assumed to be numbers.
    """
    match data:
        case Known() | Reference() | Array() | Scalar():
            return Confidence.CERTAIN
        case Top() if factory in _OF_NUMBERS:
            return Confidence.LIKELY
        case _:
            return None
