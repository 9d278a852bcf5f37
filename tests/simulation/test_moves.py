"""A move between simulated devices does what a move between real ones does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import devlint
from devlint.simulation import Simulation

CUDA = torch.device("cuda:0")
HOST = torch.device("cpu")


@pytest.mark.parametrize(
    "move",
    [
        lambda x: x.cuda(),
        lambda x: x.cuda(0, non_blocking=True),
        lambda x: x.cuda(device="cuda"),
        lambda x: x.to("cuda"),
        lambda x: x.to(0),
        lambda x: x.to(torch.device("cuda")),
        lambda x: x.to(device="cuda", dtype=torch.float64),
        lambda x: x.to("cuda", torch.float64, True),
        lambda x: x.to(torch.ones((), device="cuda", dtype=torch.float64)),
        lambda x: x.to(tensor=torch.ones((), device="cuda")),
        lambda x: x.type_as(torch.ones((), device="cuda")),
        lambda x: x.type_as(torch.ones((), device="cuda", dtype=torch.float64)),
        lambda x: x.type("torch.cuda.DoubleTensor"),
        lambda x: x.type(torch.cuda.FloatTensor),  # type: ignore[attr-defined]
        lambda x: torch.as_tensor(x, device="cuda"),
        lambda x: torch.asarray(x, device="cuda"),
        lambda x: torch.tensor(x.tolist(), device="cuda"),
        lambda x: nn.Parameter(x).cuda(),
        lambda x: x.to_sparse().cuda().to_dense(),
        lambda x: torch.zeros(2, device="cuda").copy_(x),
    ],
)
def test_to_the_device(move: Callable[[Tensor], Tensor]) -> None:
    with Simulation("cuda"):
        source = torch.tensor([1.0, 2.0])
        target = move(source)
        assert target.device == CUDA
        assert source.device == HOST
        assert target.tolist() == [1.0, 2.0]
        target.data[0] = 5
        assert source.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "move",
    [
        lambda x: x.cpu(),
        lambda x: x.to("cpu"),
        lambda x: x.to(torch.ones(1)),
        lambda x: x.type_as(torch.ones(1)),
        lambda x: x.type(torch.FloatTensor),
    ],
)
def test_to_the_host(move: Callable[[Tensor], Tensor]) -> None:
    with Simulation("cuda"):
        target = move(torch.ones(2, device="cuda"))
        assert target.device == HOST
        assert target.numpy().tolist() == [1.0, 1.0]


def test_a_move_to_where_it_is_gives_the_tensor_itself() -> None:
    with Simulation("cuda", 2):
        x = torch.ones(2, device="cuda")
        assert x.cuda() is x
        assert x.to("cuda:0") is x
        assert x.to("cuda", copy=True) is not x
        assert x.to("cuda:1") is not x
        assert x.to(torch.float16).device == CUDA


def test_the_memory_format_is_kept() -> None:
    with Simulation("cuda"):
        x = torch.ones(1, 2, 3, 3).contiguous(memory_format=torch.channels_last)
        assert x.cuda().stride() == x.stride()
        assert torch.ones(2, 3).t().cuda().stride() == torch.ones(2, 3).t().stride()
        assert x.to("cuda", memory_format=torch.contiguous_format).is_contiguous()


def test_gradients_are_moved_back() -> None:
    with Simulation("cuda", 2):
        x = torch.ones(2, requires_grad=True)
        (x.cuda() * 2).to("cuda:1").sum().backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        assert x.grad.device == HOST
        assert x.grad.tolist() == [2.0, 2.0]


def test_gradients_are_moved_between_devices() -> None:
    """What is copied back does not go by the host, and nobody waits for it."""
    with devlint.simulate("cuda", devices=2), devlint.guard(device_to_host="disallow_explicit") as guard:
        x = torch.ones(2, device="cuda:0", requires_grad=True)
        x.to("cuda:1").sum().backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        assert x.grad.device == CUDA
    assert guard.findings == []


@pytest.mark.parametrize(
    "back",
    [
        lambda y, g: y.backward(g),
        lambda y, g: y.backward(gradient=g),
        lambda y, g: torch.autograd.backward([y], [g]),
        lambda y, g: torch.autograd.grad(y, y, grad_outputs=g),
        lambda y, g: torch.func.vjp(lambda x: x * 2, y)[1](g),
    ],
)
@pytest.mark.parametrize(("place", "other"), [("cuda:0", "cpu"), ("cuda:1", "cuda:0"), ("cpu", "cuda:0")])
def test_a_gradient_is_given_where_the_output_is(
    back: Callable[[Tensor, Tensor], object], place: str, other: str
) -> None:
    text = f"invalid gradient at index 0 - expected device {place} but got {other}"
    with Simulation("cuda", 2):
        y = torch.ones(2, device=place, requires_grad=True)
        with pytest.raises(RuntimeError, match=text):
            back(y, torch.ones(2, device=other))


def test_a_gradient_without_dimensions_is_moved_to_the_output() -> None:
    with Simulation("cuda"):
        x = torch.ones(2, device="cuda", requires_grad=True)
        (gradient,) = torch.autograd.grad(x.sum(), x, grad_outputs=torch.tensor(2.0))
        assert gradient.device == CUDA
        assert gradient.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "move",
    [
        lambda module: module.to("cuda"),
        lambda module: module.to(0),
        lambda module: module.to(device="cuda"),
        lambda module: module.to(device=torch.device("cuda"), dtype=torch.float64),
        lambda module: module.to(torch.ones(1, device="cuda")),
        lambda module: module.to(tensor=torch.ones(1, device="cuda")),
        lambda module: module.cuda(device=0),
    ],
)
def test_a_module_is_moved_however_its_device_is_given(move: Callable[[nn.Module], nn.Module]) -> None:
    with Simulation("cuda"):
        assert {parameter.device for parameter in move(nn.Linear(2, 2)).parameters()} == {CUDA}


def test_a_module_is_moved_in_place_with_its_buffers() -> None:
    with Simulation("cuda", 2):
        norm = nn.BatchNorm1d(2)
        weight = norm.weight
        assert norm.to("cuda:1") is norm
        assert norm.weight is weight
        assert {str(value.device) for value in norm.state_dict().values()} == {"cuda:1"}
        assert next(norm.to(0).parameters()).device == CUDA
        assert next(norm.cpu().parameters()).device == HOST


def test_memory_without_data_stays_without_data() -> None:
    with Simulation("cuda"):
        with torch.device("meta"):
            layer = nn.Linear(2, 2)
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            layer.to("cuda")
        assert layer.to_empty(device="cuda").weight.device == CUDA


def test_pinned_memory_is_remembered() -> None:
    with Simulation("cuda"):
        assert torch.ones(2).pin_memory().is_pinned()
        assert torch.empty(2, pin_memory=True).is_pinned()
        assert not torch.ones(2).is_pinned()
        message = "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"
        with pytest.raises(RuntimeError, match=message):
            torch.ones(2, device="cuda").pin_memory()


def test_python_s_types_are_dtypes() -> None:
    with devlint.simulate("cuda"), devlint.guard() as guard:
        x: Tensor = torch.ones(3, device="cuda").to(bool)  # type: ignore[call-overload]
        y: Tensor = x.to(float)  # type: ignore[call-overload]
        assert (x.dtype, y.dtype) == (torch.bool, torch.float64)
        assert x.is_cuda
        assert y.is_cuda
    assert guard.tallies() == []
