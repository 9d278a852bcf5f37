"""Which algorithm torch selects for sizes and shapes of operands, if one of the algorithms makes the host
wait."""

from __future__ import annotations

import math

from torch import Tensor


def isin_sorts(elements: Tensor, tested: Tensor) -> bool:
    """`isin` sorts if there are too many elements for single comparisons (ATen/native/TensorCompare.cpp)."""
    return bool(tested.numel() >= 10 * elements.numel() ** 0.145)


def mode_sorts(tensor: Tensor, dim: int) -> bool:
    """`mode` sorts slices of more than 2,048 elements by thrust (ATen/native/cuda/TensorModeKernel.cu)."""
    return tensor.dim() > 0 and bool(tensor.shape[dim] > 2048)


def factorized_by_magma(matrices: Tensor) -> bool:
    """MAGMA computes the LU decompositions for which cuSOLVER is slow, and waits for its own queue
    (ATen/native/cuda/linalg/BatchLinearAlgebra.cpp, `lu_factor`; null CUDA, torch 2.13)."""
    if matrices.dim() < 2 or not matrices.numel():
        return False
    *batches, rows, columns = matrices.shape
    batch = math.prod(batches)
    for_cusolver = batch == 1 or rows <= 16 or (rows <= 128 and batch <= 16)
    return not (rows == columns and for_cusolver)


FACTORIZING = frozenset(("lu", "lu_factor_ex", "inv_ex", "solve_ex", "det", "logdet", "slogdet"))
"""Operators that begin with an LU decomposition and do not read its status."""
