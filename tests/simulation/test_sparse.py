"""Sparse tensors keep their simulated device through what would be views of dense ones."""

from __future__ import annotations

import pytest
import torch

from devlint.simulation import Simulation


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_a_transposed_matrix_stays(layout: torch.layout) -> None:
    with Simulation("cuda", 1):
        matrix = torch.eye(3).to_sparse(layout=layout).cuda()
        assert [str(made.device) for made in (matrix, matrix.t(), matrix * 2)] == ["cuda:0"] * 3
        assert matrix.t().matmul(torch.ones(3, 2, device="cuda")).tolist() == [[1.0, 1.0]] * 3


def test_gradients_of_a_sparse_product_stay() -> None:
    with Simulation("cuda", 1):
        weight = torch.ones(3, 2, device="cuda", requires_grad=True)
        torch.spmm(torch.eye(3).to_sparse().cuda(), weight).sum().backward()  # type: ignore[no-untyped-call]
        assert weight.grad is not None
        assert str(weight.grad.device) == "cuda:0"
