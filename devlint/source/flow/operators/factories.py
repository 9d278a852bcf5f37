"""What factories make, and where."""

from __future__ import annotations

from dataclasses import replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Certainty,
    Concrete,
    Device,
    Origin,
    OriginStep,
    SiteId,
    Step,
    Transfer,
    is_accelerator,
    may_be_accelerator,
)
from devlint.operators import ArgumentKind, DeviceRule
from devlint.source.flow.operators.binding import Bound
from devlint.source.flow.operators.operands import TensorArgument, deciding_operand, operand
from devlint.source.flow.operators.places import wanted
from devlint.source.flow.operators.ranks import rank0_of
from devlint.source.flow.operators.waits import note_wait
from devlint.source.flow.patterns.portability import note_use
from devlint.source.flow.patterns.strictness import note_factory
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import TOP, Array, Container, Literal, Scalar, Tensor, Value


def make(frame: Frame, site: SiteId, bound: Bound, tensors: list[TensorArgument]) -> Tensor:
    """What a factory, or a `*_like` operator, makes."""
    operator = bound.operator
    if bound.given("out"):
        return _filled(bound.value("out"))
    target = bound.of_kind(ArgumentKind.DEVICE)
    if target is not None and target.value != Literal(None):
        place = wanted(frame, target)
        if is_accelerator(place.device) and isinstance(place.device, Concrete):
            frame.starts_accelerator(site)
        note_use(frame, site, place.device)
        step = OriginStep(Step.MADE, site, place.device, operator.name)
        _note_upload(frame, site, bound, place.device)
        return Tensor(place.device, Origin((step,)), anchor=place.text)
    if any(passed.stars == 2 for _, passed in bound.arguments):
        return Tensor(UNKNOWN)
    values = bound.value("values")
    # A sparse tensor lies where its values do (torch/csrc/utils/tensor_new.cpp, `sparse_coo_tensor_ctor`).
    if bound.given("values") and not isinstance(values, Tensor | Container):
        return Tensor(UNKNOWN)
    source = values if isinstance(values, Tensor) else deciding_operand(tensors, first_only=True)
    if source is not None and operator.rule is DeviceRule.LIKE:
        if not source.evident and bound.arguments[0][0].name in {"data", "obj"}:
            note_factory(frame, site, operator.name)
            return _made_of(source, site, operator.name, likely_numbers=False)
        evident = source.evident or not operator.name.startswith("torch.Tensor.")
        return replace(source, attribute="", evident=evident, untouched=False, walked=False)
    if source is not None and operator.rule is DeviceRule.SAME:
        # `torch.normal(means, deviations)` draws where these are.
        return Tensor(source.device if source.evident else UNKNOWN)
    data = bound.value("data") or bound.value("obj")
    if isinstance(data, Tensor) and data.evident:
        return replace(data, anchor="", attribute="")
    if _stays_with_first(bound):
        if operator.rule is not DeviceRule.LIKE:
            note_factory(frame, site, operator.name)
        return _made_of(data, site, operator.name, likely_numbers=True)
    return _on_default_device(frame, site, bound)


def _filled(out: Value | None) -> Tensor:
    """`torch.arange(n, out=x)` is `x`, wherever that lies."""
    if isinstance(out, Tensor):
        return replace(out, evident=True, rank0=None, anchor="", attribute="", untouched=False, walked=False)
    return Tensor(UNKNOWN)


def _made_of(data: Value | None, site: SiteId, name: str, *, likely_numbers: bool) -> Tensor:
    """A tensor of what may be a tensor already, and stays there then, or numbers."""
    origin = data.origin if isinstance(data, Tensor) else Origin()
    return Tensor(UNKNOWN, origin.then(OriginStep(Step.MADE, site, UNKNOWN, name, implicit=likely_numbers)))


def _on_default_device(frame: Frame, site: SiteId, bound: Bound) -> Tensor:
    is_placeholder = _is_placeholder(bound)
    device = UNKNOWN if is_placeholder else frame.default_device.device
    for argument, passed in bound.arguments:
        if argument.name == "size" and isinstance(passed.value, Tensor):
            note_wait(
                frame, passed.expression.id, bound.operator.name, Cause.HIDDEN_READ, passed.value, passed
            )
    tied = any(bound.given(name) for name in _TIES)
    step = OriginStep(
        Step.MADE,
        site,
        device,
        bound.operator.name,
        implicit=device == CPU,
        tied=tied,
        rounds=bound.operator.name == "torch.arange" and not _counts(bound),
    )
    # What has no elements can be joined to something on a device only if it is there, too.
    on_host = device == CPU or (is_placeholder and frame.default_device.device == CPU and _has_shape(bound))
    if on_host and not tied and bound.of_kind(ArgumentKind.DEVICE) is None:
        note_factory(frame, site, bound.operator.name, is_number=rank0_of(bound, []) is True)
    return Tensor(device, Origin((step,)))


def _counts(bound: Bound) -> bool:
    """Whether a range is known to consist of whole numbers, which no device rounds.

    Of others the CPU works out each in double precision, and CUDA in the accumulation type of the dtype, for
    float32 in float32 (aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp, cuda/RangeFactories.cu,
    `acc_type`)."""
    if bound.passed("end") is None and bound.passed("step") is None:
        return True
    given = [bound.value(name) for name in ("start", "step") if bound.passed(name) is not None]
    return all(isinstance(value, Literal) and isinstance(value.value, int) for value in given)


_TIES = ("generator", "pin_memory")
"""Arguments that bind a factory call to the device that it takes by default."""


def _is_placeholder(bound: Bound) -> bool:
    """`torch.empty(0)`, `torch.zeros(0, n)` and `torch.tensor([])` have no elements: they stand for what is
    not there."""
    data = bound.value("data")
    return Literal(0) in _sizes(bound) or (isinstance(data, Container) and data.items == ())


def _has_shape(bound: Bound) -> bool:
    """Whether it has more than one dimension, so that `cat` does not pass over it."""
    return len(_sizes(bound)) > 1 + any(isinstance(size, Container) for size in _sizes(bound))


def _sizes(bound: Bound) -> list[Value]:
    sizes = [passed.value for argument, passed in bound.arguments if argument.name == "size"]
    inner = [item for size in sizes if isinstance(size, Container) for _, item in size.items or ()]
    return [*sizes, *inner]


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


def _stays_with_first(bound: Bound) -> bool:
    """Whether the result lies with a first argument that is no number and may be a tensor somewhere."""
    if not bound.arguments:
        return True
    first, passed = bound.arguments[0]
    if first.name in {"input", "self"}:
        return bound.operator.rule is DeviceRule.LIKE
    may_be_tensor = passed.value == TOP or (isinstance(passed.value, Tensor) and not passed.value.evident)
    return first.name in {"data", "obj"} and may_be_tensor
