"""Kernels for which the host would wait on a device, because it needs what the data say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from devlint.runtime.simulation.labels import label_of

Arguments = Callable[[Sequence[Any], Mapping[str, Any]], bool]
"""Whether a kernel reads, given what it is called with."""


def reading(overload: Any) -> Arguments | None:
    """When a kernel reads; None if it never does.

    Torch's own tags mark kernels whose result depends on the data (`torch.Tag`). They are too broad where a
    kernel reads for some arguments only, and miss what only the device's kernels read.
    """
    name = overload._schema.name.partition("::")[2]
    if name in _CONDITIONS:
        return _CONDITIONS[name]
    if name in _ON_DEVICES_ONLY or not _TAGS.isdisjoint(overload.tags):
        return _always
    return None


def _always(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:  # noqa: ARG001 - one of a table
    return True


def _through_mask(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """A mask on a device is turned into places; with one on the host, the host does it alone."""
    indices = kwargs["indices"] if "indices" in kwargs else args[1]
    return any(_is_mask(index) and label_of(index) is not None for index in indices if index is not None)


def _is_mask(index: torch.Tensor) -> bool:
    return index.dtype in (torch.bool, torch.uint8)


def _of_sparse(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:  # noqa: ARG001 - one of a table
    return all(factor.layout is not torch.strided for factor in args[:2])


def _without_size(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:  # noqa: ARG001 - one of a table
    return kwargs.get("output_size") is None


_TAGS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}

_CONDITIONS: dict[str, Arguments] = {
    "index": _through_mask,
    "index_put": _through_mask,
    "index_put_": _through_mask,
    "_index_put_impl_": _through_mask,
    "_unsafe_index_put": _through_mask,
    "mm": _of_sparse,
    "repeat_interleave": _without_size,
}

_ON_DEVICES_ONLY = frozenset({"_sparse_sparse_matmul"})
"""Kernels that go on on the host (aten/src/ATen/native/sparse/cuda/SparseMatMul.cu)."""

READ_ON_THE_HOST = (torch.nn.functional.one_hot, torch.Tensor.__setitem__)
"""Functions whose kernels read on the host and not on a device: one checks values
(aten/src/ATen/native/Onehot.cpp), the other looks for places where a device fills a number in
(`canDispatchToMaskedFill`). When they do wait, their arguments tell."""

_NODES = frozenset(
    {
        "ProdBackward0",
        "ProdBackward1",
        "CumprodBackward0",
        "MaskedFillBackward1",
        "MaskedScatterBackward0",
    }
)
"""Backward of these reads on a device, and takes another way under any dispatch mode (`isTensorSubclassLike`
in torch/csrc/autograd/FunctionsManual.cpp), where no kernel shows it."""


class BackwardReads:
    """Notices when the engine comes to a node that would read."""

    def __init__(self) -> None:
        self._last: int | None = None

    def reads(self) -> bool:
        """Whether this is the first kernel of such a node."""
        node = torch._C._current_autograd_node()
        number = None if node is None else node._sequence_nr()
        is_first, self._last = number != self._last, number
        return is_first and node is not None and node.name() in _NODES
