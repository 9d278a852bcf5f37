"""Tensors of classes that wrap another tensor and handle torch's kernels themselves.

What CUDA does was seen with torch's CUDA build on a driver that does nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from devlint.simulation import Simulation


class Wrapped(Tensor):
    """Hands all kernels on to the tensor that it holds."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> Wrapped:
        wrapper: Wrapped = Tensor._make_wrapper_subclass(
            cls, held.shape, dtype=held.dtype, device=held.device, requires_grad=held.requires_grad
        )
        wrapper.held = held
        return wrapper

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override] # torch's own has no func
        result = func(*tree_map(_held, args), **tree_map(_held, kwargs or {}))
        return tree_map(_wrapped, result)


def _held(value: Any) -> Any:
    return value.held if isinstance(value, Wrapped) else value


def _wrapped(value: Any) -> Any:
    return Wrapped(value) if isinstance(value, Tensor) else value


class Opaque(Wrapped):
    """One for which torch's functions are not looked at."""

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]


@pytest.fixture(params=[Wrapped, Opaque])
def kind(request: pytest.FixtureRequest) -> Any:
    """A class of wrappers."""
    return request.param


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda w: w[0], "cuda:1"),
        (lambda w: w.view(4), "cuda:1"),
        (lambda w: w.chunk(2)[1], "cuda:1"),
        (lambda w: w + 1, "cuda:1"),
        (lambda w: w.add_(1), "cuda:1"),
        (lambda w: w + torch.ones(2, 2, device="cuda:1"), "cuda:1"),
        (lambda w: w + torch.tensor(1.0), "cuda:1"),
        (lambda w: torch.cat([w, w]), "cuda:1"),
        (lambda w: nn.Linear(2, 2, device="cuda:1")(w), "cuda:1"),
        (lambda w: w.copy_(torch.ones(2, 2)), "cuda:1"),
        (lambda w: w.detach(), "cuda:1"),
        (lambda w: w.clone(), "cuda:1"),
        (lambda w: w.to(torch.float64), "cuda:1"),
        (lambda w: w.to("cuda:1", copy=True), "cuda:1"),
        (lambda w: w.to("cuda:1", torch.float64), "cuda:1"),
        (lambda w: w.to("cuda:0"), "cuda:0"),
        (lambda w: w.cpu(), "cpu"),
        (lambda w: w.cpu().cuda(), "cuda:0"),
        (lambda w: torch.ones_like(w), "cuda:1"),
        (lambda w: torch.ones_like(w, device="cuda:0"), "cuda:0"),
        (lambda w: torch.ones_like(w, device="cpu"), "cpu"),
        (lambda w: w.new_zeros(2), "cuda:1"),
        (lambda w: w.new_zeros(2, device="cuda:0"), "cuda:0"),
        (lambda w: torch.ops.aten._to_copy(w, device=torch.device("cuda:0")), "cuda:0"),
    ],
)
def test_both_lie_where_they_would_lie(
    kind: type[Wrapped], call: Callable[[Tensor], Wrapped], place: str
) -> None:
    with Simulation("cuda", 2):
        result = call(kind(torch.ones(2, 2, device="cuda:1")))
        assert (str(result.device), str(result.held.device)) == (place, place)


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w + torch.ones(2, 2),
        lambda w: w + Wrapped(torch.ones(2, 2)),
        lambda w: torch.stack([w, torch.ones(2, 2)]),
        lambda w: w + w.to("cuda:0"),
    ],
)
def test_what_is_held_is_not_mixed(kind: type[Wrapped], call: Callable[[Tensor], Tensor]) -> None:
    with Simulation("cuda", 2), pytest.raises(RuntimeError, match="same device"):
        call(kind(torch.ones(2, 2, device="cuda:1")))


@pytest.mark.skipif(torch.version.cuda is not None, reason="a build with CUDA may initialize it")
def test_a_factory_does_not_initialize_cuda(kind: type[Wrapped]) -> None:
    with Simulation("cuda", 2):
        w = kind(torch.ones(2, 2, device="cuda:1"))
        assert str(torch.ones_like(w, device="cuda:0").device) == "cuda:0"
        assert str(w.new_zeros(2, device="cuda:0").device) == "cuda:0"
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.ones(1, device="cuda")


@pytest.mark.parametrize("elsewhere", ["cpu", "cuda:0"])
def test_gradients_are_moved_back(kind: type[Wrapped], elsewhere: str) -> None:
    with Simulation("cuda", 2):
        x = kind(torch.ones(2, 2, device="cuda:1", requires_grad=True))
        (x.to(elsewhere) * 2).sum().backward()  # type: ignore[no-untyped-call]
        assert isinstance(x.grad, Wrapped)
        assert str(x.grad.device) == str(x.grad.held.device) == "cuda:1"
        assert x.grad.held.tolist() == [[2.0, 2.0]] * 2


def test_a_wrapper_as_a_parameter() -> None:
    with Simulation("cuda", 2):
        layer = nn.Linear(2, 2)
        layer.weight = nn.Parameter(Wrapped(torch.ones(2, 2)))
        assert copy.deepcopy(layer).weight.device == torch.device("cpu")
        assert str(layer.to("cuda:1").weight.device) == "cuda:1"


def test_a_nested_tensor_keeps_its_device() -> None:
    with Simulation("cuda", 2):
        rows = [torch.ones(2, device="cuda:1"), torch.ones(3, device="cuda:1")]
        nested = torch.nested.nested_tensor(rows, layout=torch.jagged, requires_grad=True)
        product = (nested * 2).values()
        assert str(product.device) == "cuda:1"
        product.sum().backward()  # type: ignore[no-untyped-call]
        assert nested.grad is not None
        assert str(nested.grad.device) == "cuda:1"
        assert str(nested.to("cuda:0").values().device) == "cuda:0"


class Operator:
    """No tensor, but given to functions of torch: as linear operators are."""

    def __init__(self, matrix: torch.Tensor) -> None:
        self.matrix = matrix

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        (own,) = args
        return own.matrix @ torch.ones(3, device=own.matrix.device) if func is torch.sum else NotImplemented


def test_code_of_a_class_that_is_no_tensor_has_devices() -> None:
    with Simulation("cuda", 2):
        own: Any = Operator(torch.ones(3, 3, device="cuda:1"))
        assert torch.sum(own).device == torch.device("cuda", 1)
        with pytest.raises(TypeError, match=r"Multiple dispatch failed|no implementation found"):
            torch.exp(own)
