"""Kernels with device rules, or with error texts, that the table of kernels cannot express."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from devlint.simulation import errors
from devlint.simulation.legacy import legacy_name
from devlint.simulation.operands import KernelOperand

KernelArguments = Mapping[str, Any]
"""A kernel's arguments by name, as far as the signature names them."""


def _convolution(operands: list[KernelOperand]) -> Exception | None:
    """With an input on a device, torch compares tensor types; with an input on the host, the kernel
    checks."""
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
    """`addcmul` reads a 0-dim `tensor2` from the host, but not its other operands."""
    common = next((operand.label for operand in operands if operand.label is not None), None)
    for operand in operands[:2]:
        if operand.label is not common and operand.tensor.dim() == 0:
            return errors.scalar("addcmul", operand.argument)
    return None


def _written(operands: list[KernelOperand], arguments: KernelArguments) -> Exception | None:
    """Values must be on the device of the tensor, or 0-dim. Indices may be anywhere: they are copied.

    The kernel checks the values first only if it accumulates or must be deterministic.
    """
    tensor, *others = operands
    sorts = arguments.get("accumulate") or torch.are_deterministic_algorithms_enabled()
    for operand in others:
        if operand.argument != "values" or operand.label is tensor.label or operand.tensor.dim() == 0:
            continue
        if tensor.label is not None and sorts:
            return errors.value(tensor.place, operand.place)
        on_device, other = (tensor, operand) if tensor.label is not None else (operand, tensor)
        return errors.iterator(on_device.place, other.place)
    return None


def _trilinear(operands: list[KernelOperand], arguments: KernelArguments) -> Exception | None:  # noqa: ARG001 - one of a table
    """It multiplies its operands, unless one is empty."""
    if not all(operand.tensor.numel() for operand in operands):
        return None
    for operand in operands[1:]:
        if operand.label is not operands[0].label:
            return errors.argument("wrapper_CUDA_bmm", "mat2", operand.place, operands[0].place)
    return None


def _vector(operands: list[KernelOperand]) -> Exception | None:
    """`mv` creates its result on the device of the vector, and then multiplies into it."""
    matrix, vector = operands[-2:]
    if matrix.label is vector.label:
        return None
    return errors.argument("wrapper_CUDA_addmv_", "mat", matrix.place, vector.place)


def _pseudo_inverse(operands: list[KernelOperand], arguments: KernelArguments) -> Exception | None:  # noqa: ARG001 - likewise
    """Tolerances are compared with the singular values as 1-dim tensors, unless there are no singular
    values."""
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
    """With data on a device, the lengths are compared before any check."""
    data, *others = operands
    for operand in others:
        if operand.argument == "lengths" and data.label is not None and operand.label is not data.label:
            return errors.lengths_of_segments()
    return None


def _storage(operands: list[KernelOperand]) -> Exception | None:
    tensor, source = operands
    return errors.storage(tensor.place, source.place) if tensor.label is not source.label else None


OWN_RULES: dict[str, Callable[[list[KernelOperand], KernelArguments], Exception | None]] = {
    "_trilinear": _trilinear,
    "index_put": _written,
    "index_put_": _written,
    "linalg_pinv": _pseudo_inverse,
}
"""Kernels whose rule depends on sizes. Their results are on the device of the first operand."""

FILLS_BY_INDEX = frozenset({"index_fill_", "masked_fill_"})
"""Kernels by which torch 2.15 and later write a number through an index, if tensor and index are on one
device (ATen/TensorIndexing.h). On the CPU they always are. With two devices the index would be copied."""

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
"""Kernels that check their operands before the rule of the table applies, with their own error texts."""
