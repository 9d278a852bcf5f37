"""Kernels that would make the host wait for a device, because it needs their data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from devlint.model import Cause
from devlint.operators import Sync, SyncWhen
from devlint.operators.kernels import find_kernel
from devlint.simulation.labels import label_of
from devlint.tensors.algorithms import factorized_by_magma

Arguments = Callable[[Sequence[Any], Mapping[str, Any]], bool]
"""Whether a kernel reads, given its arguments."""


def reading(overload: Any) -> Arguments | None:
    """When a kernel reads; None if it never does.

    The table of kernels decides. For kernels without a row, torch's own tags do, which mark kernels whose
    result depends on the data (`torch.Tag`).
    """
    name = overload._schema.name.partition("::")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    variant = overload._schema.overload_name
    operator = find_kernel(f"aten::{name}.{variant}" if variant else f"aten::{name}")
    if operator is None:
        return None if _TAGS.isdisjoint(overload.tags) else _always
    conditions = [_CONDITIONS[sync.when] for sync in operator.syncs if _is_read(sync)]
    return next(iter(conditions), None)


def _is_read(sync: Sync) -> bool:
    return sync.cause in _READS and sync.when in _CONDITIONS


def _always(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:  # noqa: ARG001 - one of a table
    return True


def _not_empty(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return bool(_first(args, kwargs).numel())


def _same_shape(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return len({tensor.shape for tensor in (*args, *kwargs.values())}) == 1


def _through_mask(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """A device mask is converted to indices; a host mask is converted by the host without a wait."""
    indices = kwargs["indices"] if "indices" in kwargs else args[1]
    return any(_is_mask(index) and label_of(index) is not None for index in indices if index is not None)


def _is_mask(index: torch.Tensor) -> bool:
    return index.dtype in (torch.bool, torch.uint8)


def _with_device_value(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """The value to fill in is the last argument."""
    return label_of(kwargs["value"] if "value" in kwargs else args[-1]) is not None


def _by_magma(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return factorized_by_magma(_first(args, kwargs))


def _first(args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.Tensor:
    tensor: torch.Tensor = args[0] if args else next(iter(kwargs.values()))
    return tensor


def _without_size(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:  # noqa: ARG001 - one of a table
    return kwargs.get("output_size") is None


def _of_sparse(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:  # noqa: ARG001 - one of a table
    return all(factor.layout is not torch.strided for factor in args[:2])


_READS = frozenset((Cause.HIDDEN_READ, Cause.DYNAMIC_SHAPE, Cause.HOST_READ))
_TAGS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}

_CONDITIONS: dict[SyncWhen, Arguments] = {
    SyncWhen.ALWAYS: _always,
    SyncWhen.NOT_EMPTY: _not_empty,
    SyncWhen.SAME_SHAPE: _same_shape,
    SyncWhen.MASK_INDEX: _through_mask,
    SyncWhen.DEVICE_SCALAR_VALUE: _with_device_value,
    SyncWhen.WITHOUT_OUTPUT_SIZE: _without_size,
}
"""The conditions that a kernel's arguments decide, copies excepted. Not those of
`devlint.operators.wait_conditions`: kernels get indices and values as tensors, after torch has converted what
the program wrote."""

_FACTORIZING = (
    "_linalg_det",
    "_linalg_slogdet",
    "_linalg_solve_ex",
    "linalg_inv_ex",
    "linalg_lu",
    "linalg_lu_factor_ex",
)
_BY_NAME: dict[str, Arguments] = {
    "_sparse_sparse_matmul": _always,
    "mm": _of_sparse,
    **dict.fromkeys(_FACTORIZING, _by_magma),
}
"""Kernels with other reasons to read: products of sparse matrices
(aten/src/ATen/native/sparse/cuda/SparseMatMul.cu), and kernels that begin with an LU decomposition."""

READ_ON_THE_HOST = (
    torch.nn.functional.one_hot,
    torch.Tensor.__setitem__,
    torch.quantile,
    torch.nanquantile,
    torch.Tensor.quantile,
    torch.Tensor.nanquantile,
)
"""Functions whose kernels read on the host and not on a device. Some check values
(aten/src/ATen/native/Onehot.cpp, and Sorting.cpp before torch 2.13); one looks for places where a device
fills a number in (`canDispatchToMaskedFill`). The conditions of the functions decide when they wait."""

_NODES = frozenset(
    {
        "ProdBackward0",
        "ProdBackward1",
        "CumprodBackward0",
        "MaskedFillBackward1",
        "MaskedScatterBackward0",
    }
)
"""Their backward reads on a device, but takes another path under any dispatch mode (`isTensorSubclassLike` in
torch/csrc/autograd/FunctionsManual.cpp), where no kernel shows it."""


class BackwardReads:
    """Detects nodes of the engine that would read."""

    def __init__(self) -> None:
        self._last: int | None = None

    def reads(self) -> bool:
        """Whether this is the first kernel of such a node."""
        node = torch._C._current_autograd_node()
        if node is None:
            self._last = None
            return False
        number = node._sequence_nr()
        is_first, self._last = number != self._last, number
        return is_first and node.name() in _NODES
