"""Kernels that hold their operands to rules of their own, or say so in words of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from devlint.simulation import errors
from devlint.simulation.legacy import legacy_name
from devlint.simulation.operands import KernelOperand

Given = Mapping[str, Any]
"""A kernel's arguments by name, where the signature names them."""


def _convolution(operands: list[KernelOperand]) -> Exception | None:
    """With the input on a device, torch speaks of tensor types; with the input on the host, kernels check."""
    source = operands[0]
    for operand in operands[1:]:
        if source.label is not None and operand.label is not source.label:
            what = "bias" if operand.argument == "bias" else "weight"
            if operand.label is None:
                return errors.convolution(what, legacy_name(source.tensor), legacy_name(operand.tensor))
        if source.label is None and operand.label is not None and source.tensor.size(0) > 1:
            return errors.convolution_on_host(legacy_name(source.tensor), legacy_name(operand.tensor))
    return None


def _distance(operands: list[KernelOperand]) -> Exception | None:
    one, other = (operand.place for operand in operands[:2])
    return errors.distance(one.type, other.type) if one.type != other.type else None


def _scalars(operands: list[KernelOperand]) -> Exception | None:
    """`addcmul` reads `tensor2` from the host if it is 0-dim there."""
    common = next((operand.label for operand in operands if operand.label is not None), None)
    for operand in operands[:2]:
        if operand.label is not common and operand.tensor.dim() == 0:
            return errors.scalar("addcmul", operand.argument)
    return None


def _written(operands: list[KernelOperand], given: Given) -> Exception | None:
    """A value written through indices is where the tensor is, or 0-dim; so are a host tensor's indices.

    Only where values are added up, or the order must not matter, does a check of its own come first.
    """
    tensor, *others = operands
    sorts = given.get("accumulate") or torch.are_deterministic_algorithms_enabled()
    for operand in others:
        if operand.argument != "values" or operand.label is tensor.label or operand.tensor.dim() == 0:
            continue
        if tensor.label is not None and sorts:
            return errors.value(tensor.place, operand.place)
        on_device, other = (tensor, operand) if tensor.label is not None else (operand, tensor)
        return errors.iterator(on_device.place, other.place)
    for operand in others:
        if operand.argument == "indices" and tensor.label is None and operand.label is not None:
            return errors.index(tensor.place)
    return None


def filled_by_index(operands: list[KernelOperand]) -> Exception | None:
    """A number that is written through an index, which has to be on the host if the tensor is.

    From torch 2.15 on such a write is a fill where tensor and index are in one place (ATen/TensorIndexing.h):
    it always is on the CPU, but not for tensors on two devices.
    """
    tensor, *indices = operands
    if tensor.label is None and any(operand.label is not None for operand in indices):
        return errors.index(tensor.place)
    return None


def _trilinear(operands: list[KernelOperand], given: Given) -> Exception | None:  # noqa: ARG001 - one of a table
    """It multiplies its operands, unless there is nothing to multiply."""
    if not all(operand.tensor.numel() for operand in operands):
        return None
    for operand in operands[1:]:
        if operand.label is not operands[0].label:
            return errors.argument("wrapper_CUDA_bmm", "mat2", operand.place, operands[0].place)
    return None


def _vector(operands: list[KernelOperand]) -> Exception | None:
    """`mv` makes its result where the vector is, and then multiplies into it."""
    matrix, vector = operands[-2:]
    if matrix.label is vector.label:
        return None
    return errors.argument("wrapper_CUDA_addmv_", "mat", matrix.place, vector.place)


def _pseudo_inverse(operands: list[KernelOperand], given: Given) -> Exception | None:  # noqa: ARG001 - likewise
    """Tolerances meet the singular values as 1-dim tensors, unless there are no singular values."""
    source, *tolerances = operands
    for operand in tolerances:
        if operand.label is not source.label and source.tensor.numel():
            return errors.iterator(source.label or operand.label, operand.place)
    return None


def _mask(operands: list[KernelOperand]) -> Exception | None:
    tensor, mask = operands[0], operands[1]
    if tensor.label is not mask.label:
        return errors.mask(mask.place, tensor.place)
    return None


def _lengths(operands: list[KernelOperand]) -> Exception | None:
    """With the data on a device, the lengths are compared before any check."""
    data, *others = operands
    for operand in others:
        if operand.argument == "lengths" and data.label is not None and operand.label is not data.label:
            return errors.lengths_of_segments()
    return None


def _storage(operands: list[KernelOperand]) -> Exception | None:
    tensor, source = operands
    return errors.storage(tensor.place, source.place) if tensor.label is not source.label else None


OWN_RULES: dict[str, Callable[[list[KernelOperand], Given], Exception | None]] = {
    "_trilinear": _trilinear,
    "index_put": _written,
    "index_put_": _written,
    "linalg_pinv": _pseudo_inverse,
}
"""Kernels whose rule depends on sizes. Their results lie with the first operand."""

FILLS_BY_INDEX = frozenset({"index_fill_", "masked_fill_"})
"""Kernels by which torch 2.15 and later write a number through an index; see `filled_by_index`."""

FIRST_CHECKS: dict[str, Callable[[list[KernelOperand]], Exception | None]] = {
    "convolution": _convolution,
    "convolution_overrideable": _convolution,
    "_euclidean_dist": _distance,
    "addcmul": _scalars,
    "masked_fill": _mask,
    "mv": _vector,
    "masked_fill_": _mask,
    "segment_reduce": _lengths,
    "set_": _storage,
}
"""Kernels that look at their operands before the rule of the table does, in words of their own."""
