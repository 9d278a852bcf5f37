"""Tensors are made where torch would make them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from devlint.simulation import Simulation


@pytest.mark.parametrize(
    ("make", "device"),
    [
        (lambda x: torch.zeros(2), "cpu"),
        (lambda x: torch.zeros(2, device="cuda"), "cuda:0"),
        (lambda x: torch.zeros(2, device=1), "cuda:1"),
        (lambda x: torch.zeros(2, device=x.device), "cuda:1"),
        (lambda x: torch.randn(2, device="cuda:1"), "cuda:1"),
        (lambda x: torch.arange(2, device="cuda"), "cuda:0"),
        (lambda x: torch.hann_window(4, device="cuda"), "cuda:0"),
        (lambda x: torch.tensor([1.0], device="cuda"), "cuda:0"),
        (lambda x: torch.tensor(x), "cuda:1"),
        (lambda x: torch.tensor([x[0], x[1]]), "cpu"),
        (lambda x: torch.as_tensor(np.ones(2), device="cuda"), "cuda:0"),
        (lambda x: torch.as_tensor([1.0], device=0), "cuda:0"),
        (lambda x: torch.from_numpy(np.ones(2)), "cpu"),
        (lambda x: torch.sparse_coo_tensor([[0, 1]], x).coalesce().indices(), "cuda:1"),  # type: ignore[arg-type]
        (lambda x: torch.sparse_coo_tensor(torch.tensor([[0]]), torch.ones(1)), "cpu"),
        (lambda x: torch.zeros_like(x), "cuda:1"),
        (lambda x: torch.zeros_like(x, device="cpu"), "cpu"),
        (lambda x: torch.rand_like(torch.ones(2), device="cuda"), "cuda:0"),
        (lambda x: x.new_zeros(2), "cuda:1"),
        (lambda x: x.new_tensor([1.0]), "cuda:1"),
        (lambda x: x.new(2), "cuda:1"),
        (lambda x: x.new_full((2,), 1.0, device="cuda:0"), "cuda:0"),
        (lambda x: torch.FloatTensor([1.0]), "cpu"),
        (lambda x: torch.cuda.FloatTensor([1.0]), "cuda:0"),  # type: ignore[attr-defined]
        (lambda x: torch.cuda.LongTensor(2, 3), "cuda:0"),  # type: ignore[attr-defined]
        (lambda x: torch.sparse_coo_tensor([[0]], [1.0], (2,), device="cuda"), "cuda:0"),  # type: ignore[arg-type]
        (lambda x: torch.nested.nested_tensor([torch.ones(2)], device="cuda"), "cuda:0"),
        (lambda x: torch.empty(0, device="cuda"), "cuda:0"),
    ],
)
def test_where_a_tensor_is_made(make: Callable[[Tensor], Tensor], device: str) -> None:
    with Simulation("cuda", 2):
        assert str(make(torch.ones(2, device="cuda:1")).device) == device


def test_data_of_numpy_are_copied_to_a_device() -> None:
    with Simulation("cuda"):
        data = np.ones(2)
        torch.as_tensor(data, device="cuda").add_(1)
        assert data.tolist() == [1.0, 1.0]


def test_the_default_type_of_tensors() -> None:
    with Simulation("cuda"):
        with torch.device("cuda"):
            assert torch.Tensor([1.0]).device.type == "cpu"
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
        made = (torch.Tensor([1.0]), torch.Tensor(2, 3), torch.zeros(2))
        assert {tensor.device.type for tensor in made} == {"cuda"}
        assert torch.FloatTensor([1.0]).device.type == "cpu"
        assert isinstance(torch.nn.Parameter(made[0]), Tensor)
        torch.set_default_tensor_type("torch.FloatTensor")
        assert torch.Tensor([1.0]).device.type == torch.zeros(2).device.type == "cpu"
    assert "__new__" not in vars(Tensor)


def test_the_default_device() -> None:
    with Simulation("cuda", 2):
        torch.set_default_device("cuda:1")
        try:
            assert torch.ones(2).device == torch.device("cuda:1")
            assert torch.get_default_device() == torch.device("cuda:1")
            assert torch.tensor([1.0]).device == torch.device("cuda:1")
            assert torch.ones(2, device="cpu").device == torch.device("cpu")
            assert torch.nn.Linear(2, 2)(torch.ones(1, 2)).device == torch.device("cuda:1")
        finally:
            torch.set_default_device(None)
        assert torch.ones(2).device == torch.device("cpu")


def test_a_device_as_a_context() -> None:
    with Simulation("cuda", 2):
        with torch.device("cuda:1"):
            assert torch.nn.Linear(2, 2).weight.device == torch.device("cuda:1")
            with torch.device("cpu"):
                assert torch.ones(2).device == torch.device("cpu")
        assert torch.ones(2).device == torch.device("cpu")


def test_random_numbers_are_those_of_the_cpu() -> None:
    torch.manual_seed(0)
    expected = [torch.randn(2), torch.rand(2), torch.randperm(4), torch.nn.functional.dropout(torch.ones(9))]
    with Simulation("cuda"):
        torch.manual_seed(0)
        torch.cuda.manual_seed_all(7)
        ones = torch.ones(9, device="cuda")
        drawn = [
            torch.randn(2, device="cuda"),
            torch.rand(2),
            torch.randperm(4, device="cuda"),
            torch.nn.functional.dropout(ones),
        ]
        assert all(torch.equal(one, other.cpu()) for one, other in zip(expected, drawn, strict=True))


def test_a_generator_of_the_device_draws_what_one_of_the_cpu_draws() -> None:
    with Simulation("cuda"):
        generator = torch.Generator(device="cuda").manual_seed(3)
        assert generator.device == torch.device("cuda")
        assert isinstance(generator, torch.Generator)
        assert isinstance(torch.default_generator, torch.Generator)
        drawn = torch.randn(3, device="cuda", generator=generator)
        expected = torch.randn(3, generator=torch.Generator().manual_seed(3))
        assert torch.equal(drawn.cpu(), expected)
