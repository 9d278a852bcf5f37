"""When the host waits for the device: the conditions of the operators table, decided on abstract values."""

from __future__ import annotations

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
from devlint.operators import ArgumentKind, DeviceRule, SyncWhen
from devlint.source.flow.binding import Bound
from devlint.source.flow.frame import Frame, Passed
from devlint.source.flow.operands import operand, tensor_of
from devlint.source.flow.values import (
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
_LAST = frozenset({SyncWhen.SCALAR_INDEX, SyncWhen.DEVICE_SCALAR_VALUE, SyncWhen.TENSOR_BOUND})
"""Conditions under which the host reads a later operand, and not the first."""


def _waiting_operand(bound: Bound, when: SyncWhen) -> tuple[Tensor, Passed] | None:
    """The operand that the host waits for: a tensor that may lie on an accelerator."""
    arguments = bound.arguments[::-1] if when in _LAST else bound.arguments
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
    """Whether a condition of the table is shown to hold for a call; what is not known does not hold."""
    values = [passed.value for _, passed in bound.arguments]
    indices = [passed.value for argument, passed in bound.arguments if argument.index]
    written = bound.value("value") or bound.value("values") or bound.value("source")
    match when:
        case SyncWhen.ALWAYS | SyncWhen.NOT_EMPTY | SyncWhen.SAME_SHAPE:
            return True
        case SyncWhen.MASK_INDEX if isinstance(written, Literal | Scalar):
            return False
        case SyncWhen.MASK_INDEX:
            return any(isinstance(index, Tensor) and index.boolean is True for index in indices)
        case SyncWhen.HOST_INDEX:
            return any(_is_host_index(index) for index in indices)
        case SyncWhen.SCALAR_VALUE:
            return isinstance(written, Literal | Scalar) and any(_is_advanced(index) for index in indices)
        case SyncWhen.DEVICE_SCALAR_VALUE:
            return isinstance(written, Tensor) and written.rank0 is True and is_accelerator(written.device)
        case SyncWhen.TO_HOST_BLOCKING:
            return not bound.is_true("non_blocking") and _target(bound) == CPU
        case SyncWhen.HOST_DATA:
            data = values[0] if values else None
            return isinstance(data, Literal | Scalar | Container) and is_accelerator(_target(bound))
        case SyncWhen.WITHOUT_OUTPUT_SIZE:
            return not bound.given("output_size")
        case SyncWhen.WITHOUT_NUM_CLASSES:
            return not bound.given("num_classes")
        case SyncWhen.WITHOUT_RANGE:
            return not (bound.given("min") or bound.given("max") or bound.given("range"))
        case SyncWhen.TENSOR_BOUND | SyncWhen.TENSOR_REPEATS if not bound.given("output_size"):
            return any(isinstance(value, Tensor) and value.evident for value in values[1:])
        case SyncWhen.ERROR_IF_NONFINITE:
            return bound.is_true("error_if_nonfinite")
        case SyncWhen.LABEL_SMOOTHING_WITH_WEIGHT:
            return bound.given("label_smoothing") and bound.given("weight")
        case SyncWhen.WITHOUT_MOMENTUM:
            return bound.value("momentum") == Literal(None)
        case SyncWhen.SCALAR_INDEX:
            return any(
                isinstance(index, Tensor) and index.rank0 is True and not index.boolean for index in indices
            )
        case SyncWhen.CONDITION_ALONE:
            return len(bound.arguments) == 1
        case SyncWhen.CHECK_ERRORS:
            return bound.is_true("check_errors")
        case SyncWhen.FORCE:
            return bound.is_true("force")
        case SyncWhen.SORTER:
            return bound.given("sorter")
        case SyncWhen.CHECKED_LENGTHS:
            return bound.given("lengths") and not bound.is_true("unsafe")
        case _:
            return False


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
