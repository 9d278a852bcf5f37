"""Attributes that prove their owner a tensor."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_NAMES = Path(__file__).parent / "data" / "tensor_attributes.txt"


@cache
def tensor_only_attributes() -> frozenset[str]:
    """Names that `torch.Tensor` has, and neither `numpy.ndarray` nor the other objects of a usual program.

    Left out are names that modules, configurations, pandas objects, array namespaces and the like have too
    (`to`, `size`, `norm`, `dim`, `exp`), so a parameter of which one is used is a tensor.
    """
    return frozenset(_NAMES.read_text(encoding="utf-8").split())
