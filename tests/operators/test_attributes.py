"""Attributes that prove their owner a tensor."""

from __future__ import annotations

import pytest

from devlint.operators import find, tensor_only_attributes, tensor_only_methods_of_numbers


@pytest.mark.parametrize(
    "name",
    [
        "unsqueeze",
        "detach",
        "masked_fill",
        "requires_grad",
        "new_zeros",
        "contiguous",
        "expand_as",
        "add_",
        "index_select",
    ],
)
def test_names_that_only_tensors_have(name: str) -> None:
    assert name in tensor_only_attributes()


@pytest.mark.parametrize(
    "name",
    [
        "to",
        "size",
        "item",
        "cpu",
        "cuda",
        "half",
        "float",
        "device",
        "type",
        "train",
        "apply",
        "share_memory_",
        "shape",
        "dtype",
        "mean",
        "sum",
        "view",
        "norm",
        "dim",
        "relu",
        "backward",
        "scatter",
        "gather",
        "exp",
        "log",
        "numel_",
        "__len__",
        "name",
        "stride",
        "is_leaf",
        "chunk",
    ],
)
def test_names_that_others_have_too(name: str) -> None:
    assert name not in tensor_only_attributes()


@pytest.mark.parametrize("name", ["log_softmax", "softmax", "topk", "tril", "unflatten", "unfold"])
def test_methods_of_tensors_alone_where_a_number_is_first(name: str) -> None:
    assert name in tensor_only_methods_of_numbers()
    assert name not in tensor_only_attributes()


@pytest.mark.parametrize(
    "name", ["chunk", "clip", "cummax", "flip", "gather", "pow", "sum", "tile", "unbind"]
)
def test_others_have_these_methods_and_functions_of_numbers_too(name: str) -> None:
    assert find(f"torch.Tensor.{name}")
    assert name not in tensor_only_methods_of_numbers()


def test_arrays_and_modules_have_none_of_them() -> None:
    numpy, nn = pytest.importorskip("numpy"), pytest.importorskip("torch.nn")
    names = tensor_only_attributes() | tensor_only_methods_of_numbers()
    assert not names & set(dir(numpy.ndarray))
    assert not names & set(dir(nn.Module))
