"""Tests of the attributes of tensors on simulated devices, and of data attached to them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler

import pytest
import torch
from torch import Tensor, nn

from devlint.simulation import Simulation


def test_attributes() -> None:
    with Simulation("cuda", 2):
        x = torch.ones(2, device="cuda:1")
        assert x.is_cuda
        assert not x.is_cpu
        assert x.get_device() == 1
        assert torch.ones(2).get_device() == -1
        assert x.type() == "torch.cuda.FloatTensor"
        assert isinstance(x, torch.cuda.FloatTensor)  # type: ignore[attr-defined]
        assert not isinstance(torch.ones(2), torch.cuda.FloatTensor)  # type: ignore[attr-defined]
        assert x.is_shared()


def test_texts_are_those_of_the_device() -> None:
    with Simulation("cuda"):
        x = torch.ones(2, device="cuda", requires_grad=True)
        assert repr(x) == "tensor([1., 1.], device='cuda:0', requires_grad=True)"
        assert str(nn.Parameter(x)).startswith("Parameter containing:\ntensor([1., 1.], device='cuda:0'")
        assert f"{x.sum():.1f}" == "2.0"
        assert repr(x.cpu().detach()) == "tensor([1., 1.])"


@pytest.mark.parametrize(
    "derive",
    [
        lambda x: x[0],
        lambda x: x.view(4),
        lambda x: x.detach(),
        lambda x: x.data,
        lambda x: x.clone(),
        lambda x: x.add_(1),
        lambda x: x.T,
        lambda x: nn.Parameter(x),
        lambda x: x.sum(),
        lambda x: x.topk(1).values,
        lambda x: x.split(1)[0],
        lambda x: torch.stack([x, x]),
        lambda x: torch.einsum("ij,ij->", x, x),
        lambda x: copy.copy(x),
        lambda x: copy.deepcopy(x),
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: copy.deepcopy(nn.ParameterList([nn.Parameter(x)]))[0],
        lambda x: torch.vmap(lambda row: row * 2 + torch.ones(2, device=row.device))(x),
        lambda x: torch.func.grad(lambda y: (y**2).sum())(x),
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        lambda x: x.to_sparse_csr(),
        lambda x: torch.fft.rfft(x),
        lambda x: torch.linalg.svdvals(x),
        lambda x: torch.histc(x.int(), 2, 0, 2),
        lambda x: x.chalf().sum(),
        lambda x: torch.jit.script(_scripted)(x),
    ],
)
def test_what_is_derived_lies_where_the_tensor_lies(derive: Callable[[Tensor], Tensor]) -> None:
    with Simulation("cuda", 2):
        assert derive(torch.ones(2, 2, device="cuda:1")).device == torch.device("cuda:1")


def _scripted(x: Tensor) -> Tensor:
    return x + torch.ones(2, device=x.device)


def test_a_gradient_is_copied_with_its_tensor() -> None:
    with Simulation("cuda"):
        weight = nn.Parameter(torch.ones(2, device="cuda"))
        weight.sum().backward()  # type: ignore[no-untyped-call]
        copied = copy.deepcopy(weight)
        assert copied.is_cuda
        layer = nn.Linear(2, 2).cuda()
        layer(torch.ones(1, 2, device="cuda")).sum().backward()
        assert copy.deepcopy(layer).weight.is_cuda


def test_a_tensor_can_be_sent_to_another_process() -> None:
    with Simulation("cuda"):
        assert pickle.loads(ForkingPickler.dumps(torch.ones(2, device="cuda"))).tolist() == [1.0, 1.0]


def test_other_memory_takes_its_device_with_it() -> None:
    with Simulation("cuda"):
        x = torch.ones(2)
        x.data = torch.zeros(2, device="cuda")
        assert x.is_cuda


def test_constructors_of_subclasses_pass_a_tensor_on() -> None:
    class Marked(Tensor):
        """Shares the memory of the tensor that it is made of."""

        def __new__(cls, source: Tensor) -> Marked:
            return super().__new__(cls, source)

    with Simulation("cuda"):
        host, there = torch.ones(2), torch.ones(2, device="cuda", requires_grad=True)
        for source in (host, there, Marked(there)):
            made = Marked(source)
            assert type(made) is Marked
            assert made.data_ptr() == source.data_ptr()
            assert made.device == source.device
            assert made.requires_grad == source.requires_grad
    assert type(Marked(host)) is Marked


def test_subclasses_keep_their_class() -> None:
    class Marked(Tensor):
        """A tensor with a name."""

    with Simulation("cuda"):
        x = torch.ones(2).as_subclass(Marked).cuda()
        assert type(x * 2) is Marked
        assert (x * 2).is_cuda
        layer = nn.LazyLinear(3).cuda()
        assert layer(torch.ones(1, 2, device="cuda")).is_cuda
