"""The conditions of the table under which the host waits, as far as the arguments of a call decide.

Both observers describe the values of a call by `ValueFacts`, and evaluate these conditions on them. Values of
a running program are known completely. An unknown fact of an abstract value fulfills no condition, except
that a tensor of unknown device may be on an accelerator. The observer checks that some tensor of the call is
there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from devlint.model import UNKNOWN, Device, Presumed, Rank0, is_accelerator, is_host, may_be_accelerator
from devlint.operators.operator import SyncWhen


class Form(Enum):
    """The form of a value, as far as it decides whether the host waits."""

    NUMBER = "number"
    TENSOR = "tensor"
    ARRAY = "array of numbers in host memory"
    LIST = "list of numbers"
    TENSOR_SLICE = "slice with a 0-dim device tensor as a bound"
    OTHER = "other"


NOT_CONSTANT = object()
"""Stands for the constant of a value that is not a known constant."""


class ValueFacts(NamedTuple):
    """The known facts about a value that an operator gets; None stands for an unknown fact."""

    form: Form
    constant: object = NOT_CONSTANT
    """The Python constant that it is."""
    device: Device = UNKNOWN
    rank0: Rank0 = None
    rank: int | None = None
    mask: bool | None = None
    """Whether an index of this dtype selects by truth: bool, and formerly uint8."""
    dtype: object = None
    is_shown: bool = True
    """Whether it has this form for certain. What is computed from something unknown may be a number."""

    @property
    def is_host_scalar(self) -> bool:
        """Whether it is a 0-dim host tensor."""
        return self.form is Form.TENSOR and self.rank0 is True and is_host(self.device)


class CallFacts(Protocol):
    """The known facts about the arguments of a call."""

    @property
    def count(self) -> int:
        """How many arguments are given."""

    @property
    def first(self) -> ValueFacts | None:
        """What the operator works on; None if nothing is given."""

    @property
    def indices(self) -> Sequence[ValueFacts]:
        """The indices, one by one."""

    @property
    def written(self) -> ValueFacts | None:
        """What is written into the first operand; None if nothing is."""

    def value(self, name: str, /) -> ValueFacts | None:
        """The argument of this name; None if it is not given or given as None."""


def is_uploaded(index: ValueFacts, written: ValueFacts | None) -> bool:
    """Whether an index is on the host, and is copied to the device of the indexed tensor.

    The host finds the places of a host mask and sends those from pinned memory, unless the mask is filled
    with one number.
    """
    if index.form is not Form.TENSOR:
        return index.form in (Form.ARRAY, Form.LIST)
    has_dimensions = index.rank0 in (False, Presumed.DIMENSIONS)
    return is_host(index.device) and has_dimensions and (_is_scalar(written) or not index.mask)


def _is_scalar(written: ValueFacts | None) -> bool:
    return written is not None and (
        written.form is Form.NUMBER or (written.form is Form.TENSOR and written.rank0 is True)
    )


def _is_number(written: ValueFacts | None) -> bool:
    """Whether a number is written that is on the host."""
    return written is not None and (written.form is Form.NUMBER or written.is_host_scalar)


def _mask_index(call: CallFacts) -> bool:
    """A device mask is converted to indices, unless a number on the host is written through it alone, which
    fills the mask (`canDispatchToMaskedFill` in ATen/native/TensorAdvancedIndexingUtils.h)."""
    written = call.written
    is_number = written is not None and (_is_number(written) or written.form is Form.OTHER)
    if is_number and sum(each.form in _MADE_TENSORS for each in call.indices) < 2:
        return False
    return any(
        each.form is Form.TENSOR and each.mask is True and not is_host(each.device) for each in call.indices
    )


_MADE_TENSORS = frozenset({Form.TENSOR, Form.LIST, Form.ARRAY})
"""The forms of indices that torch uses as tensors; numbers and slices select a part before."""


def _host_index(call: CallFacts) -> bool:
    return any(is_uploaded(each, call.written) for each in call.indices)


def _scalar_index(call: CallFacts) -> bool:
    base = call.first
    return any(each.form is Form.TENSOR_SLICE or _is_device_integer(each, base) for each in call.indices)


_UNKNOWN_RANKS = (None, Presumed.PERHAPS)


def _is_device_integer(index: ValueFacts, base: ValueFacts | None) -> bool:
    """Whether the host reads an index. One with dimensions raises where the base lies on the host."""
    if index.form is not Form.TENSOR or index.mask or is_host(index.device):
        return False
    on_host = base is not None and is_host(base.device)
    return index.rank0 is True or (index.rank0 in _UNKNOWN_RANKS and on_host and is_accelerator(index.device))


def _scalar_index_of_tensor(call: CallFacts) -> bool:
    """Otherwise such an index stays on the device (`canKeepScalarIndexOnDevice` in ATen/TensorIndexing.h)."""
    if any(each.form is Form.TENSOR_SLICE for each in call.indices):
        return True
    written = call.written
    if written is None or written.form is not Form.TENSOR or not _scalar_index(call):
        return False
    dtypes = {each.dtype for each in (call.first, written) if each is not None} - {None}
    return written.rank0 is False or is_host(written.device) or len(dtypes) == 2


def _scalar_value(call: CallFacts) -> bool:
    """A number written to one element, or through an integer tensor or list, is uploaded first."""
    if not _is_number(call.written):
        return False
    if any(each.form in _ADVANCED and not each.mask for each in call.indices):
        return True
    rank = None if call.first is None else call.first.rank
    return rank == len(call.indices) and all(
        each.form is Form.NUMBER and not isinstance(each.constant, bool) for each in call.indices
    )


_ADVANCED = (Form.TENSOR, Form.ARRAY, Form.LIST)


def _host_scalar_value(call: CallFacts) -> bool:
    return call.written is not None and call.written.is_host_scalar and _scalar_value(call)


def _device_scalar_value(call: CallFacts) -> bool:
    written = call.written
    if written is None or written.form is not Form.TENSOR:
        return False
    return written.rank0 is True and may_be_accelerator(written.device)


def _number_and_tensor(call: CallFacts) -> bool:
    """Then torch takes both bounds as numbers; two tensors, or one alone, stay on the device."""
    bounds = [each for each in (call.value("min"), call.value("max")) if each is not None]
    read = [each for each in bounds if each.form is Form.TENSOR and may_be_accelerator(each.device)]
    return len(read) == 1 and read[0].rank0 is True and any(each.form is Form.NUMBER for each in bounds)


def _tensor_repeats(call: CallFacts) -> bool:
    """`repeat_interleave(repeats)` takes nothing else."""
    repeats = call.first if call.count == 1 else call.value("repeats")
    if repeats is None or not repeats.is_shown:
        return False
    is_tensor = repeats.form is Form.TENSOR and not is_host(repeats.device)
    return is_tensor and call.value("output_size") is None


def _without_output_size(call: CallFacts) -> bool:
    return call.value("output_size") is None and call.value("dim_size") is None


def _label_smoothing(call: CallFacts) -> bool:
    smoothing, reduction = call.value("label_smoothing"), call.value("reduction")
    weighted = smoothing is not None and smoothing.constant != 0 and call.value("weight") is not None
    return weighted and (reduction is None or reduction.constant == "mean")


def _without_num_classes(call: CallFacts) -> bool:
    classes = call.value("num_classes")
    return classes is None or classes.constant == -1


def _without_range(call: CallFacts) -> bool:
    """Two equal bounds stand for none; both are 0 by default."""
    bounds = call.value("min"), call.value("max")
    return all(each is None or each.constant == 0 for each in bounds)


def _checked_lengths(call: CallFacts) -> bool:
    return call.value("lengths") is not None and not _is_set(call, "unsafe")


def _set(name: str) -> Callable[[CallFacts], bool]:
    return lambda call: _is_set(call, name)


def _is_set(call: CallFacts, name: str) -> bool:
    flag = call.value(name)
    return flag is not None and flag.constant is not NOT_CONSTANT and bool(flag.constant)


INDEXING: Mapping[SyncWhen, Callable[[CallFacts], bool]] = {
    SyncWhen.MASK_INDEX: _mask_index,
    SyncWhen.HOST_INDEX: _host_index,
    SyncWhen.SCALAR_INDEX: _scalar_index,
    SyncWhen.SCALAR_INDEX_OF_TENSOR: _scalar_index_of_tensor,
    SyncWhen.SCALAR_VALUE: _scalar_value,
    SyncWhen.HOST_SCALAR_VALUE: _host_scalar_value,
}
"""The conditions on the indices of the first operand."""

CONDITIONS: Mapping[SyncWhen, Callable[[CallFacts], bool]] = {
    **INDEXING,
    SyncWhen.DEVICE_SCALAR_VALUE: _device_scalar_value,
    SyncWhen.NUMBER_AND_TENSOR: _number_and_tensor,
    SyncWhen.TENSOR_REPEATS: _tensor_repeats,
    SyncWhen.WITHOUT_OUTPUT_SIZE: _without_output_size,
    SyncWhen.WITHOUT_NUM_CLASSES: _without_num_classes,
    SyncWhen.WITHOUT_RANGE: _without_range,
    SyncWhen.LABEL_SMOOTHING_WITH_WEIGHT: _label_smoothing,
    SyncWhen.CONDITION_ALONE: lambda call: call.count == 1,
    SyncWhen.CHECKED_LENGTHS: _checked_lengths,
    SyncWhen.ERROR_IF_NONFINITE: _set("error_if_nonfinite"),
    SyncWhen.CHECK_ERRORS: _set("check_errors"),
    SyncWhen.FORCE: _set("force"),
}
"""All conditions that the arguments decide. Those on sizes, and on where a copy comes from and goes to, are
the observers' own: one has the values, the other only what the source code shows of them."""
