"""The names of torch's generated functions that check a kernel's operands; they stand in its errors."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch


class Checker(NamedTuple):
    """The function that checks, and the names that it has for arguments, where they differ."""

    method: str
    names: dict[str, str]


def checker(kernel: str, overload: str, *, writes_out: bool) -> Checker:
    """What checks the operands of `kernel.overload` on CUDA."""
    if kernel in _ELSEWHERE and not writes_out:
        return _ELSEWHERE[kernel]
    name = f"{kernel}_out" if writes_out else kernel
    if kernel in _structured():
        return Checker(f"wrapper_CUDA_{name}_{overload}" if overload else f"wrapper_CUDA_{name}", {})
    return Checker(f"wrapper_CUDA_{overload}_{name}", {})


_ELSEWHERE = {
    "complex": Checker("wrapper_CUDA_out_complex_out", {}),
    "convolution": Checker("wrapper_CUDA___slow_conv2d_forward", {"input": "self"}),
    "embedding": Checker("wrapper_CUDA__index_select", {"weight": "self", "indices": "index"}),
    "masked_scatter": Checker("wrapper_CUDA__masked_scatter_", {}),
    "linalg_lstsq": Checker("wrapper_CUDA_out_linalg_lstsq_out", {}),
    "polar": Checker("wrapper_CUDA_out_polar_out", {}),
    "stack": Checker("wrapper_CUDA_cat", {}),
}
"""Kernels that CUDA runs by another one, and that one refuses."""


@cache
def _structured() -> frozenset[str]:
    """The kernels that torch calls structured, by its own list; what checks them is named another way."""
    listing = Path(torch.__file__).parents[1] / "torchgen/packaged/ATen/native/native_functions.yaml"
    if not listing.exists():
        return frozenset()
    entries = listing.read_text(encoding="utf-8").split("\n- func: ")
    marked = (entry for entry in entries if re.search(r"^  structured(_delegate)?:", entry, re.MULTILINE))
    return frozenset(re.split(r"[.(]", entry, maxsplit=1)[0] for entry in marked)
