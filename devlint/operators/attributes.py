"""Attributes and calls of methods that show that a value is a tensor."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"


@cache
def tensor_only_attributes() -> frozenset[str]:
    """Attributes of `torch.Tensor` that neither `numpy.ndarray` nor other common objects have.

    Attributes of modules, configurations, pandas objects, array namespaces and similar objects are excluded
    (`to`, `size`, `norm`, `dim`, `exp`), so that a parameter with one of these attributes is a tensor.
    """
    return _names("tensor_attributes.txt")


@cache
def tensor_only_methods_of_numbers() -> frozenset[str]:
    """Methods of `torch.Tensor` that take a number as their first argument, where what other objects have of
    the same name is a function or a layer that takes a tensor there (`softmax`, `topk`).

    A parameter of which one is called with a number first is a tensor.
    """
    return _names("tensor_methods_of_numbers.txt")


def _names(file: str) -> frozenset[str]:
    return frozenset((_DATA / file).read_text(encoding="utf-8").split())
