"""When the host waits for the device: the conditions of the operators table, decided on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Certainty,
    Device,
    Kind,
    Operand,
    SiteId,
    Synchronization,
    Transfer,
    is_accelerator,
    may_be_accelerator,
)
from devlint.operators import SCALAR_GIVEN, ArgumentKind, DeviceRule, SyncWhen
from devlint.source.flow.operators.binding import Bound
from devlint.source.flow.operators.operands import operand, tensor_of
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import (
    Alternatives,
    Array,
    Container,
    Literal,
    Scalar,
    Tensor,
    Value,
    as_device,
)


def note(frame: Frame, site: SiteId, bound: Bound) -> None:
    """Notes the wait that a call brings, and the reading of a download that is still under way."""
    first = bound.arguments[0][1] if bound.arguments else None
    # An array shares the tensor's memory: whoever gets it can still wait.
    hands_on = bound.operator.name == "torch.Tensor.numpy" and site == frame.given_back
    if first is not None and bound.operator.rule is DeviceRule.HOST_READ and not hands_on:
        note_host_read_of_download(frame, site, first.value)
    for sync in bound.operator.syncs:
        if sync.cause is None or not _holds(bound, sync.when):
            continue
        if sync.cause is Cause.EXPLICIT:
            frame.emit(
                Synchronization(site, frame.hot, Certainty.PROVEN, bound.operator.name, sync.cause, None)
            )
            frame.waited()
            return
        if sync.when is SyncWhen.HOST_DATA and first is not None:
            _note_upload(frame, site, bound, first)
            continue
        waiting = _waiting_operand(bound, sync.when)
        if waiting is not None:
            tensor, passed = waiting
            walked = sync.cause is Cause.HOST_READ and tensor.walked and bound.operator.name in _READS
            note_wait(
                frame, site, bound.operator.name, Cause.ELEMENTWISE if walked else sync.cause, tensor, passed
            )
            return


def note_wait(
    frame: Frame,
    site: SiteId,
    operator: str,
    cause: Cause,
    tensor: Tensor,
    passed: Passed,
    parameter: str = "",
) -> None:
    """Notes that the host waits for a tensor, if it may lie on an accelerator."""
    if not (tensor.evident and may_be_accelerator(tensor.device)):
        return
    shown = operand(tensor, passed.expression, parameter, presuming=True)
    certainty = Certainty.CONVENTION if tensor.conventional or tensor.presumed else Certainty.PROVEN
    frame.emit(Synchronization(site, frame.hot, certainty, operator, cause, shown))
    frame.waited()


def note_host_read_of_download(frame: Frame, site: SiteId, value: Value) -> None:
    """Notes that the host reads what an asynchronous download may not have filled yet."""
    if not isinstance(value, Tensor) or value.download is None:
        return
    started, waits_before = value.download
    if frame.waits != waits_before:
        return
    last = value.origin.last
    source = value.origin.steps[-2].device if len(value.origin.steps) > 1 else UNKNOWN
    shown = Operand(path="", site=started, device=source, origin=value.origin, kind=Kind.TENSOR)
    frame.emit(
        Transfer(
            started,
            frame.hot,
            Certainty.PROVEN,
            last.operator if last is not None else "torch.Tensor.to",
            shown,
            source,
            CPU,
            non_blocking=True,
            used_before_wait=site,
        )
    )


def _note_upload(frame: Frame, site: SiteId, bound: Bound, data: Passed) -> None:
    """Notes the wait for Python numbers to arrive, which are copied from pageable memory."""
    shown = replace(operand(data.value, data.expression, "data"), device=_target(bound))
    frame.emit(Synchronization(site, frame.hot, Certainty.PROVEN, bound.operator.name, Cause.UPLOAD, shown))
    frame.waited()


_READS = frozenset(
    f"torch.Tensor.{name}" for name in ("item", "tolist", "__float__", "__int__", "__bool__", "__index__")
)
"""Reads of one number or one row, of which a loop makes as many as there are."""


def _waiting_operand(bound: Bound, when: SyncWhen) -> tuple[Tensor, Passed] | None:
    """The operand that the host waits for: a tensor that may lie on an accelerator."""
    arguments = bound.arguments[::-1] if when in SCALAR_GIVEN else bound.arguments
    for argument, passed in arguments:
        if when is SyncWhen.TENSOR_BOUND and isinstance(passed.value, Tensor):
            return (passed.value, passed) if _may_be_read(passed.value) else None
        tensor = tensor_of(passed.value)
        wanted = argument.kind is ArgumentKind.TENSOR or argument.index
        if tensor is not None and wanted and _may_be_read(tensor):
            return tensor, passed
    return None


def _may_be_read(tensor: Tensor) -> bool:
    return tensor.evident and may_be_accelerator(tensor.device)


def _holds(bound: Bound, when: SyncWhen) -> bool:
    """Whether a condition of the table is shown to hold for a call.

    Of sizes nothing is known, so that tensors count as having elements; what else is not known does not hold.
    """
    return when in _CONDITIONS and _CONDITIONS[when](bound)


def _indices(bound: Bound) -> list[Value]:
    return [passed.value for argument, passed in bound.arguments if argument.index]


def _written(bound: Bound) -> Value | None:
    return None if bound.written is None else bound.written.value


def _always(bound: Bound) -> bool:
    return True


def _mask_index(bound: Bound) -> bool:
    if isinstance(_written(bound), Literal | Scalar):
        return False
    return any(isinstance(index, Tensor) and index.boolean is True for index in _indices(bound))


def _host_index(bound: Bound) -> bool:
    return any(map(_is_host_index, _indices(bound)))


def _scalar_index(bound: Bound) -> bool:
    return any(
        isinstance(index, Tensor) and index.rank0 is True and not index.boolean for index in _indices(bound)
    )


def _scalar_value(bound: Bound) -> bool:
    return isinstance(_written(bound), Literal | Scalar) and any(map(_is_advanced, _indices(bound)))


def _device_scalar_value(bound: Bound) -> bool:
    written = _written(bound)
    return isinstance(written, Tensor) and written.rank0 is True and is_accelerator(written.device)


def _to_host_blocking(bound: Bound) -> bool:
    return not bound.is_true("non_blocking") and _target(bound) == CPU


def _host_data(bound: Bound) -> bool:
    data = bound.arguments[0][1].value if bound.arguments else None
    return isinstance(data, Literal | Scalar | Container) and is_accelerator(_target(bound))


def _without_range(bound: Bound) -> bool:
    return not any(map(bound.given, ("min", "max", "range")))


def _later_tensor(bound: Bound) -> bool:
    if bound.given("output_size"):
        return False
    later = [passed.value for _, passed in bound.arguments[1:]]
    return any(isinstance(value, Tensor) and value.evident for value in later)


def _label_smoothing(bound: Bound) -> bool:
    smoothing, reduction = bound.value("label_smoothing"), bound.value("reduction")
    smooths = bound.given("label_smoothing") and smoothing not in (Literal(0), Literal(0.0))
    return smooths and bound.given("weight") and reduction in (None, Literal("mean"))


def _checked_lengths(bound: Bound) -> bool:
    return bound.given("lengths") and not bound.is_true("unsafe")


_CONDITIONS: dict[SyncWhen, Callable[[Bound], bool]] = {
    SyncWhen.ALWAYS: _always,
    SyncWhen.NOT_EMPTY: _always,
    SyncWhen.SAME_SHAPE: _always,
    SyncWhen.MASK_INDEX: _mask_index,
    SyncWhen.HOST_INDEX: _host_index,
    SyncWhen.SCALAR_INDEX: _scalar_index,
    SyncWhen.SCALAR_VALUE: _scalar_value,
    SyncWhen.DEVICE_SCALAR_VALUE: _device_scalar_value,
    SyncWhen.TO_HOST_BLOCKING: _to_host_blocking,
    SyncWhen.HOST_DATA: _host_data,
    SyncWhen.WITHOUT_NUM_CLASSES: lambda bound: not bound.given("num_classes"),
    SyncWhen.WITHOUT_RANGE: _without_range,
    SyncWhen.TENSOR_BOUND: _later_tensor,
    SyncWhen.TENSOR_REPEATS: _later_tensor,
    SyncWhen.ERROR_IF_NONFINITE: lambda bound: bound.is_true("error_if_nonfinite"),
    SyncWhen.LABEL_SMOOTHING_WITH_WEIGHT: _label_smoothing,
    SyncWhen.CONDITION_ALONE: lambda bound: len(bound.arguments) == 1,
    SyncWhen.CHECK_ERRORS: lambda bound: bound.is_true("check_errors"),
    SyncWhen.FORCE: lambda bound: bound.is_true("force"),
    SyncWhen.SORTER: lambda bound: bound.given("sorter"),
    SyncWhen.CHECKED_LENGTHS: _checked_lengths,
}
"""The conditions that what is written decides; the others ask for ranks, sizes and values."""


def _target(bound: Bound) -> Device:
    passed = bound.of_kind(ArgumentKind.DEVICE)
    device = as_device(passed.value) if passed is not None else None
    return UNKNOWN if device is None else device.device


def _is_host_index(index: Value) -> bool:
    match index:
        case Container(data=True) | Array():
            return True
        case Tensor(device=device, evident=True, rank0=rank0):
            return device == CPU and rank0 is False
        case _:
            return False


def _is_advanced(index: Value) -> bool:
    return isinstance(index, Tensor | Alternatives | Array) or (isinstance(index, Container) and index.data)
