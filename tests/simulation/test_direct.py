"""Calls that are run without a look at their kernels have the devices, errors and gradients of all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import devlint
from devlint.simulation.calls import handlers
from devlint.simulation.direct import PASSIVE, DirectFunctions


@pytest.fixture
def looked_at(looked_at: list[str]) -> Iterator[list[str]]:
    """The kernels that two simulated devices look at."""
    with devlint.simulate("cuda", devices=2):
        yield looked_at


class Kinds(TorchDispatchMode):
    """The kernels that a mode of the program's own sees."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # torch is untyped here
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


class Marked(Tensor):
    """A tensor with a name of its own."""


TELLS_OF_HOOKS = hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks")
"""Torch 2.6 does not, so that calls are looked at wherever autograd may keep something."""
CALLS: dict[str, Callable[[Tensor], Any]] = {
    "an operator": lambda x: x + x,
    "a number beside it": lambda x: 1 - x,
    "a list": lambda x: torch.cat([x, x]),
    "several results": lambda x: x.sort(),
    "a view": lambda x: x.t(),
    "a part": lambda x: x[None, 0, ..., 1:],
    "a class that handles nothing itself": lambda x: x.as_subclass(Marked) + x,
    "a copy, if needed": lambda x: x.t().contiguous(),
    "a selection": lambda x: torch.where(x > 0, x, -x),
    "a layer": lambda x: functional.linear(x, x),
    "a loss": lambda x: functional.mse_loss(x, x),
    "in place": lambda x: x.add_(x),
    "another dtype": lambda x: x.double(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_what_agrees_is_not_looked_at(call: Callable[[Tensor], Any], looked_at: list[str]) -> None:
    x = torch.ones(3, 3, device="cuda:1")
    looked_at.clear()
    with torch.set_grad_enabled(TELLS_OF_HOOKS):
        result = call(x)
    assert looked_at == []
    for each in result if isinstance(result, tuple) else (result,):
        assert each.device == torch.device("cuda", 1)


def test_what_is_indexed_by_a_tensor_is_looked_at(looked_at: list[str]) -> None:
    x, index = torch.ones(3, device="cuda"), torch.tensor(1, device="cuda")
    for part in (index, slice(index, None), (index,), True):
        looked_at.clear()
        x[part]
        assert looked_at


def test_what_differs_is_looked_at(looked_at: list[str]) -> None:
    x = torch.ones(3, device="cuda")
    assert (x + torch.tensor(1.0)).is_cuda
    with pytest.raises(RuntimeError, match="two devices, cuda:0 and cpu"):
        x + torch.ones(3)
    with pytest.raises(RuntimeError, match="cuda:1, different from other tensors on cuda:0"):
        torch.cat([x, torch.ones(3, device="cuda:1")])
    assert "aten.add.Tensor" in looked_at


def test_a_condition_alone_is_looked_at(looked_at: list[str]) -> None:
    """Its result has a size that the host waits for."""
    assert torch.where(torch.ones(3, device="cuda") > 0)[0].is_cuda
    assert "aten.nonzero.default" in looked_at


GRADIENTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "a copy of what is written into": lambda x, y: (x * 2).mul_(y),
    "a copy that makes memory contiguous": lambda x, y: functional.linear(
        x.expand(2, 3, 3).mT, y.expand(3, 3)
    ),
    "what a power is computed of": lambda x, y: 2 / (x * y),
    "another dtype first": lambda x, y: (x * y).softmax(0, dtype=torch.float64),
    "what a product folds": lambda x, y: torch.matmul(x.expand(2, 2, 3, 3).mT, y.expand(2, 3, 3)),
}


@pytest.mark.parametrize("call", GRADIENTS.values(), ids=GRADIENTS.keys())
def test_what_autograd_keeps_lies_on_the_device(call: Callable[[Tensor, Tensor], Tensor]) -> None:
    with devlint.simulate("cuda"):
        x = torch.full((3, 3), 2.0, device="cuda", requires_grad=True)
        y = torch.full((3, 3), 3.0, device="cuda", requires_grad=True)
        for gradient in torch.autograd.grad(call(x, y).sum(), (x, y)):
            assert gradient.is_cuda


def test_other_modes_see_kernels() -> None:
    with devlint.simulate("cuda"):
        x = torch.ones(3, device="cuda")
        with Kinds() as kinds:
            assert (x * 2).is_cuda
    assert kinds.seen == ["aten.mul.Tensor"]


def test_hooks_of_saved_tensors_see_devices() -> None:
    kept = []

    def pack(tensor: Tensor) -> Tensor:
        kept.append(torch.zeros_like(tensor).device.type)
        return tensor

    with devlint.simulate("cuda"), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        x = torch.ones(3, device="cuda", requires_grad=True)
        (x * x).sum().backward()  # type: ignore[no-untyped-call] # torch is untyped here
    assert kept == ["cuda", "cuda"]


def test_tangents_lie_on_the_device() -> None:
    with devlint.simulate("cuda"), forward_ad.dual_level():
        x = torch.ones(3, device="cuda")
        dual = forward_ad.make_dual(x, torch.ones(3, device="cuda"))  # type: ignore[no-untyped-call]
        tangent = forward_ad.unpack_dual(dual * x).tangent  # type: ignore[no-untyped-call]
        assert tangent.device.type == "cuda"


def test_what_autocast_converts_and_keeps_lies_on_the_device() -> None:
    """Weights are converted once, and met again by kernels that are looked at."""
    with devlint.simulate("cuda"), torch.autocast("cpu", torch.bfloat16):
        x = torch.ones(2, 3, device="cuda")
        weight = torch.ones(3, 3, device="cuda", requires_grad=True)
        for shape in ((2, 3), (1, 2, 3)):
            assert functional.linear(x.reshape(shape), weight).is_cuda


def test_questions_have_no_handlers() -> None:
    """What is passed by would not reach them."""
    assert PASSIVE.isdisjoint(handlers())


def test_functions_with_handlers_are_left_to_them() -> None:
    known = DirectFunctions(handlers())
    assert [function for function in handlers() if known[function] is not None] == []
