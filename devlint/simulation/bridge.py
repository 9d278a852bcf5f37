"""Kernels that the accelerator has for a dtype and the CPU does not: they run on another dtype."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor

_MISSING = re.compile(r"not implemented for '(\w+)'")
"""The error of torch's CPU kernels for an unsupported dtype."""

_STAND_INS = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.bool: torch.uint8,
    torch.complex32: torch.complex64,
    torch.uint8: torch.float64,
    torch.int8: torch.float64,
    torch.int16: torch.float64,
    torch.int32: torch.float64,
    torch.int64: torch.float64,
}
"""A wider dtype that every kernel supports. Integers beyond 2**53 lose digits."""


def on_another_dtype(overload: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
    """The result of a kernel that the CPU does not have for the operands' dtype.

    Raises:
        Exception: `error`, if it has another cause or the kernel writes into an operand.
    """
    writes = any(argument.alias_info is not None for argument in overload._schema.arguments)
    if writes or not _MISSING.search(str(error)):
        raise error
    lacking = next((value.dtype for value in args if isinstance(value, Tensor)), None)
    if lacking not in _STAND_INS:
        raise error
    stand_in = _STAND_INS[lacking]
    result = overload(*(_convert(value, lacking, stand_in) for value in args), **kwargs)
    if isinstance(result, (list, tuple)):
        return type(result)(_convert(value, stand_in, lacking) for value in result)
    return _convert(result, stand_in, lacking)


def _convert(value: Any, source_dtype: torch.dtype, wanted: torch.dtype) -> Any:
    return value.to(wanted) if isinstance(value, Tensor) and value.dtype is source_dtype else value
