"""Attributes that show that a value is a tensor."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_NAMES = Path(__file__).parent / "data" / "tensor_attributes.txt"


@cache
def tensor_only_attributes() -> frozenset[str]:
    """Attributes of `torch.Tensor` that neither `numpy.ndarray` nor other common objects have.

    Attributes of modules, configurations, pandas objects, array namespaces and similar objects are excluded
    (`to`, `size`, `norm`, `dim`, `exp`), so that a parameter with one of these attributes is a tensor.
    """
    return frozenset(_NAMES.read_text(encoding="utf-8").split())
