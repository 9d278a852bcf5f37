"""Legacy type names of tensors: `torch.cuda.FloatTensor`."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Tensor

from devlint.simulation.labels import label_of

DTYPES = {
    "Float": torch.float32,
    "Double": torch.float64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Long": torch.int64,
    "Int": torch.int32,
    "Short": torch.int16,
    "Char": torch.int8,
    "Byte": torch.uint8,
    "Bool": torch.bool,
    "ComplexFloat": torch.complex64,
    "ComplexDouble": torch.complex128,
}
_CPP_NAMES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.float16: "c10::Half",
    torch.bfloat16: "c10::BFloat16",
    torch.int64: "long int",
    torch.int32: "int",
    torch.int16: "short int",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.bool: "bool",
    torch.complex64: "c10::complex<float>",
    torch.complex128: "c10::complex<double>",
}
_WORDS = {dtype: word for word, dtype in DTYPES.items()}
_NAME = re.compile(r"torch\.(?:(\w+)\.)?(\w+?)Tensor")


def legacy_name(tensor: Tensor) -> str:
    """The result of `tensor.type()` on its device."""
    label = label_of(tensor)
    place = f"{label.type}." if label is not None else ""
    sparse = "sparse." if tensor.is_sparse else ""
    return f"torch.{place}{sparse}{dtype_word(tensor.dtype)}Tensor"


def dtype_word(dtype: torch.dtype) -> str:
    """The legacy name of a dtype: `Float`. Newer ones have their own name."""
    return _WORDS.get(dtype) or str(dtype).rpartition(".")[2]


def cpp_name(dtype: torch.dtype) -> str:
    """The C++ type of an element, on Linux."""
    return _CPP_NAMES.get(dtype) or str(dtype).rpartition(".")[2]


def parse_legacy(wanted: Any) -> tuple[str, torch.dtype] | None:
    """Device type and dtype of a legacy type or its name; None for anything else, such as a dtype."""
    if isinstance(wanted, torch.dtype):
        return None
    name = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    match = _NAME.fullmatch(name)
    if match is None or match[2] not in DTYPES:
        return None
    return match[1] or "cpu", DTYPES[match[2]]
