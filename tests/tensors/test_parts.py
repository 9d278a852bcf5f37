"""Tests of the parts of a sparse tensor."""

from __future__ import annotations

import pytest
import torch

from devlint.tensors.parts import bytes_of, parts_of


@pytest.mark.parametrize(
    ("layout", "size"),
    [(torch.strided, 36), (torch.sparse_coo, 60), (torch.sparse_csr, 68), (torch.sparse_csc, 68)],
)
def test_bytes_are_those_of_values_and_indices(layout: torch.layout, size: int) -> None:
    tensor = torch.eye(3)
    assert bytes_of(tensor if layout is torch.strided else tensor.to_sparse(layout=layout)) == size


def test_a_dense_tensor_has_no_parts() -> None:
    assert parts_of(torch.eye(3)) == ()
