"""The names of torch's generated functions that check a kernel's operands, which its errors contain."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch


class Checker(NamedTuple):
    """A checking function, and its argument names where they differ from the kernel's."""

    method: str
    names: dict[str, str]


def checker(kernel: str, overload: str, *, writes_out: bool) -> Checker:
    """The function that checks the operands of `kernel.overload` on CUDA."""
    if kernel in _DELEGATED and not writes_out:
        return _DELEGATED[kernel]
    name = f"{kernel}_out" if writes_out else kernel
    if kernel in _structured():
        return Checker(f"wrapper_CUDA_{name}_{overload}" if overload else f"wrapper_CUDA_{name}", {})
    return Checker(f"wrapper_CUDA_{overload}_{name}", {})


_DELEGATED = {
    "complex": Checker("wrapper_CUDA_out_complex_out", {}),
    "convolution": Checker("wrapper_CUDA___slow_conv2d_forward", {"input": "self"}),
    "embedding": Checker("wrapper_CUDA__index_select", {"weight": "self", "indices": "index"}),
    "masked_scatter": Checker("wrapper_CUDA__masked_scatter_", {}),
    "linalg_lstsq": Checker("wrapper_CUDA_out_linalg_lstsq_out", {}),
    "polar": Checker("wrapper_CUDA_out_polar_out", {}),
    "stack": Checker("wrapper_CUDA_cat", {}),
}
"""Kernels that CUDA runs by another kernel, which raises the error."""


@cache
def _structured() -> frozenset[str]:
    """The structured kernels according to `native_functions.yaml`; their checking functions have other
    names."""
    listing = Path(torch.__file__).parents[1] / "torchgen/packaged/ATen/native/native_functions.yaml"
    if not listing.exists():
        return frozenset()
    entries = listing.read_text(encoding="utf-8").split("\n- func: ")
    marked = (entry for entry in entries if re.search(r"^  structured(_delegate)?:", entry, re.MULTILINE))
    return frozenset(re.split(r"[.(]", entry, maxsplit=1)[0] for entry in marked)
