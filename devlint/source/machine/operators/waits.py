"""Waits of the host for the device: the conditions of the operators table, evaluated on abstract values.

`devlint.operators.wait_conditions` has the conditions that depend on arguments. The conditions here depend on
sizes, which are unknown, so that tensors are assumed to have elements, and on the devices of copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from devlint.model import (
    CPU,
    UNKNOWN,
    Cause,
    Confidence,
    Device,
    Kind,
    Operand,
    Silence,
    SiteId,
    Synchronization,
    Transfer,
    may_be_accelerator,
)
from devlint.operators import SCALAR_ARGUMENT_WAITS, ArgumentKind, DeviceRule, SyncWhen
from devlint.operators.wait_conditions import CONDITIONS, is_uploaded
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    Array,
    Known,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.binding import Bound
from devlint.source.machine.operators.call_facts import AbstractCallFacts, facts
from devlint.source.machine.operators.operands import TENSORS, operand, placed_by_inputs
from devlint.source.machine.operators.repetition import is_invariant, is_optimized, is_repeated
from devlint.source.machine.operators.shapes import ITEM_BYTES, bytes_of, bytes_written


def note(machine: Machine, site: SiteId, bound: Bound) -> None:
    """Record the wait of a call, and the read of a copy that may be in progress."""
    first = bound.arguments[0][1] if bound.arguments else None
    if first is not None and bound.operator.rule is DeviceRule.HOST_READ:
        note_host_read_of_download(machine, site, first.value)
    for sync in bound.operator.syncs:
        if sync.cause is None or not _holds(bound, sync.when):
            continue
        if sync.cause is Cause.EXPLICIT:
            note_explicit(machine, site, bound.operator.name)
            return
        if sync.when is SyncWhen.HOST_DATA and first is not None:
            _note_upload(machine, site, bound, first)
            continue
        if sync.when is SyncWhen.TENSORS_IN_DATA:
            note_read_data(machine, site, bound)
            return
        waiting = _waiting_operand(bound, sync.when)
        if waiting is not None:
            tensor, passed = waiting
            if sync.when is SyncWhen.HOST_INDEX:
                _note_uploaded_indices(machine, site, bound, tensor)
            elif sync.when in (SyncWhen.SCALAR_VALUE, SyncWhen.HOST_SCALAR_VALUE):
                _note_uploaded_value(machine, site, bound, tensor)
            walks = tensor.element and not machine.execution.periodic
            walked = sync.cause is Cause.HOST_READ and walks
            cause = Cause.ELEMENTWISE if walked else sync.cause
            note_wait(machine, site, bound.operator.name, cause, tensor, passed)
            return


def note_read_data(machine: Machine, site: SiteId, bound: Bound) -> None:
    """Record the reads of the device tensors in a list from which a tensor is made, one at a time."""
    first = bound.arguments[0][1] if bound.arguments else None
    read = [] if first is None else [*_device_tensors_in(first.value)]
    if first is not None and read:
        unread = (each for each in read if each.serial not in machine.store.arrived)
        note_wait(machine, site, bound.operator.name, Cause.HOST_READ, next(unread, read[0]), first)


def _device_tensors_in(data: Value) -> Iterator[Tensor]:
    """The tensors in a list or tuple that may be on an accelerator."""
    if (
        not isinstance(data, Reference)
        or not isinstance(data.target, Container)
        or data.target.kind == "dict"
    ):
        return
    for held in data.target.cells.values():
        for each in alternatives(held):
            if isinstance(each, Tensor) and may_be_accelerator(each.device):
                yield each
            yield from _device_tensors_in(each)


def note_explicit(machine: Machine, site: SiteId, operator: str) -> None:
    """Record that the program synchronizes explicitly."""
    machine.note(Synchronization(site, None, machine.root_confidence, operator, Cause.EXPLICIT, None))
    machine.waits += 1


_READS = (Cause.HOST_READ, Cause.BRANCH, Cause.HIDDEN_READ)
"""Causes after which the value is on the host: a second read of the same tensor does not wait."""


def note_wait(
    machine: Machine,
    site: SiteId,
    operator: str,
    cause: Cause,
    tensor: Tensor,
    passed: Passed,
    parameter: str = "",
) -> None:
    """Record that the host waits for a tensor that may be on an accelerator.

    It may also wait for one of which the place is not known, which ends a time span that is measured.
    """
    if tensor.device == UNKNOWN:
        machine.waits += 1
    if not may_be_accelerator(tensor.device):
        return
    shown = operand(tensor, passed, parameter)
    confidence = least_sure(tensor.confidence, machine.root_confidence)
    event = Synchronization(site, None, confidence, operator, cause, shown)
    if cause in _READS and tensor.serial in machine.store.arrived:
        machine.log.withhold(event, Silence.WAITED_ALREADY, machine.execution)
    else:
        inputs = () if tensor.source is None else (tensor.source,)
        machine.note(event, inputs, placed_by_inputs([tensor]))
    machine.waits += 1
    if cause in _READS and tensor.serial:
        machine.store.arrived |= {tensor.serial}


def note_index_read(machine: Machine, passed: Passed, cause: Cause = Cause.HIDDEN_READ) -> None:
    """Record that a tensor is read where Python requires an integer."""
    tensor = passed.value
    if isinstance(tensor, Tensor):
        note_wait(machine, passed.site, "torch.Tensor.__index__", cause, tensor, passed, "self")


def note_host_read_of_download(machine: Machine, site: SiteId, value: Value) -> None:
    """Record that the host reads a tensor that an asynchronous copy may not have filled yet."""
    if not isinstance(value, Tensor) or value.download is None:
        return
    started, waits_before = value.download
    if machine.waits != waits_before:
        return
    last = value.origin.last
    source = value.origin.steps[-2].device if len(value.origin.steps) > 1 else UNKNOWN
    shown = Operand(path="", site=started, device=source, origin=value.origin, kind=Kind.TENSOR)
    machine.note(
        Transfer(
            started,
            None,
            least_sure(value.confidence, machine.root_confidence),
            last.operator if last is not None else "torch.Tensor.to",
            shown,
            source,
            CPU,
            non_blocking=True,
            used_before_wait=site,
        )
    )


def note_index_reads(machine: Machine, indices: Iterable[Passed]) -> None:
    """Record the read of tensors that index a value which is no tensor."""
    for each in indices:
        if isinstance(each.value, Tensor) and each.value.rank0 is not False:
            note_index_read(machine, each, Cause.HOST_READ)


def _note_upload(machine: Machine, site: SiteId, bound: Bound, data: Passed) -> None:
    """Record the wait for Python numbers, which are copied from pageable memory."""
    shown = operand(data.value, data, "data")
    shown = Operand(shown.path, shown.site, _target(bound), shown.kind, parameter="data")
    confidence = machine.root_confidence
    machine.note(Synchronization(site, None, confidence, bound.operator.name, Cause.UPLOAD, shown))
    machine.waits += 1


def _note_uploaded_indices(machine: Machine, site: SiteId, bound: Bound, indexed: Tensor) -> None:
    """Record the copies of host indices to the device of the indexed tensor."""
    written = AbstractCallFacts(bound).written
    for argument, passed in bound.arguments:
        if argument.index and is_uploaded(facts(passed.value), written):
            size = _bytes_of_index(passed)
            _note_implicit_upload(machine, site, bound, argument.name, passed, indexed, size)


def _note_uploaded_value(machine: Machine, site: SiteId, bound: Bound, indexed: Tensor) -> None:
    """Record the copy of a number that is written by index to the device of the indexed tensor."""
    if bound.written is not None:
        size = indexed.itemsize or ITEM_BYTES
        if any(_may_be_mask(index.value) for argument, index in bound.arguments if argument.index):
            indexed = changed(indexed, confidence=least_sure(indexed.confidence, Confidence.LIKELY))
        _note_implicit_upload(machine, site, bound, "value", bound.written, indexed, size)


def _may_be_mask(index: Value) -> bool:
    """Whether an index may be of truth values; a number is written through one mask without a copy."""
    return isinstance(index, Tensor) and index.boolean is None


def _note_implicit_upload(
    machine: Machine,
    site: SiteId,
    bound: Bound,
    parameter: str,
    uploaded: Passed,
    indexed: Tensor,
    size: int | None,
) -> None:
    held = uploaded.value
    machine.note(
        Transfer(
            site,
            None,
            least_sure(indexed.confidence, machine.root_confidence),
            bound.operator.name,
            operand(held, uploaded, parameter),
            CPU,
            indexed.device,
            explicit=False,
            bytes=size,
            loop_invariant=isinstance(held, Tensor) and is_invariant(machine, held),
            repeated=isinstance(held, Tensor) and is_repeated(held, machine.execution.loop),
            optimized=isinstance(held, Tensor) and is_optimized(machine, held),
        )
    )


def _bytes_of_index(index: Passed) -> int | None:
    return bytes_of(index.value) if isinstance(index.value, Tensor) else bytes_written(index)


def _waiting_operand(bound: Bound, when: SyncWhen) -> tuple[Tensor, Passed] | None:
    """The operand for which the host waits: a tensor that may be on an accelerator."""
    arguments = bound.arguments[::-1] if when in SCALAR_ARGUMENT_WAITS else bound.arguments
    for argument, passed in arguments:
        tensor = tensor_of(passed.value)
        if when is SyncWhen.TENSOR_BOUND and argument.kind not in TENSORS:
            held = passed.value
            read = held if isinstance(held, Tensor) else next(_device_tensors_in(held), None)
            if read is not None:
                return (read, passed) if may_be_accelerator(read.device) else None
        relevant = argument.kind is ArgumentKind.TENSOR or argument.index
        if tensor is not None and relevant and may_be_accelerator(tensor.device):
            return tensor, passed
    return None


def _holds(bound: Bound, when: SyncWhen) -> bool:
    """Whether a condition of the table certainly holds for a call."""
    if when in CONDITIONS:
        return CONDITIONS[when](AbstractCallFacts(bound))
    return when in _CONDITIONS and _CONDITIONS[when](bound)


def _always(bound: Bound) -> bool:
    return True


def _to_host_blocking(bound: Bound) -> bool:
    return not bound.is_true("non_blocking") and _target(bound) == CPU


def _host_data(bound: Bound) -> bool:
    data = bound.arguments[0][1].value if bound.arguments else None
    is_data = isinstance(data, (Known, Scalar, Array, Reference)) and not any(_device_tensors_in(data))
    return is_data and may_be_accelerator(_target(bound))


def _tensors_in_data(bound: Bound) -> bool:
    return bool(bound.arguments) and any(_device_tensors_in(bound.arguments[0][1].value))


def _tensor_bound(bound: Bound) -> bool:
    """A size, bound or count that is a 0-dim device tensor, or a list with one."""
    later = bound.arguments if bound.operator.rule is DeviceRule.FACTORY else bound.arguments[1:]
    return any(
        argument.kind not in TENSORS
        and (isinstance(passed.value, Tensor) or any(_device_tensors_in(passed.value)))
        for argument, passed in later
    )


_CONDITIONS: dict[SyncWhen, Callable[[Bound], bool]] = {
    SyncWhen.ALWAYS: _always,
    SyncWhen.NOT_EMPTY: _always,
    SyncWhen.SAME_SHAPE: _always,
    SyncWhen.TO_HOST_BLOCKING: _to_host_blocking,
    SyncWhen.HOST_DATA: _host_data,
    SyncWhen.TENSOR_BOUND: _tensor_bound,
    SyncWhen.TENSORS_IN_DATA: _tensors_in_data,
    SyncWhen.SORTER: lambda bound: bound.has_value("sorter"),
}
"""The conditions on the written value; the others need ranks, sizes and values."""


def _target(bound: Bound) -> Device:
    passed = bound.of_kind(ArgumentKind.DEVICE)
    device = device_named(passed.value) if passed is not None else None
    return UNKNOWN if device is None else device.device
