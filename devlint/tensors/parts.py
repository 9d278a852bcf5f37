"""The parts of a sparse tensor, which has no memory of its own."""

from __future__ import annotations

import torch
from torch import Tensor

_PARTS = {
    torch.sparse_coo: (Tensor._indices, Tensor._values),
    torch.sparse_csr: (Tensor.crow_indices, Tensor.col_indices, Tensor.values),
    torch.sparse_bsr: (Tensor.crow_indices, Tensor.col_indices, Tensor.values),
    torch.sparse_csc: (Tensor.ccol_indices, Tensor.row_indices, Tensor.values),
    torch.sparse_bsc: (Tensor.ccol_indices, Tensor.row_indices, Tensor.values),
}


def parts_of(tensor: Tensor) -> tuple[Tensor, ...]:
    """The indices and values of a sparse tensor in any layout; empty for other tensors."""
    return tuple(part(tensor) for part in _PARTS.get(tensor.layout, ()))


def bytes_of(tensor: Tensor) -> int:
    """The size of a tensor in bytes; for a sparse one, for which `nbytes` raises an error, that of its
    parts."""
    return tensor.nbytes if tensor.layout is torch.strided else sum(part.nbytes for part in parts_of(tensor))
