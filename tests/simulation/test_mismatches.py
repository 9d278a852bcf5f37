"""Operands on devices that do not fit raise torch's own errors, and only those."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - everyone calls it so
from torch.utils import dlpack
from torch.utils._pytree import tree_leaves

from devlint.simulation import Simulation

SAME = "Expected all tensors to be on the same device, but "
HOST_FIRST = "got {} is on cuda:0, different from other tensors on cpu (when checking argument in method {})"
DEVICE_FIRST = (
    "got {} is on cpu, different from other tensors on cuda:0 (when checking argument in method {})"
)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda h, d: d + h, f"{SAME}found at least two devices, cuda:0 and cpu!"),
        (lambda h, d: h + d, f"{SAME}found at least two devices, cuda:0 and cpu!"),
        (lambda h, d: h.add_(d), f"{SAME}found at least two devices, cuda:0 and cpu!"),
        (lambda h, d: torch.add(d, d, out=h), f"{SAME}found at least two devices, cuda:0 and cpu!"),
        (lambda h, d: d + d.to("cuda:1"), f"{SAME}found at least two devices, cuda:0 and cuda:1!"),
        (lambda h, d: torch.where(h > 0, d, d), f"{SAME}found at least two devices, cuda:0 and cpu!"),
        (lambda h, d: h @ d, SAME + HOST_FIRST.format("mat2", "wrapper_CUDA_mm")),
        (lambda h, d: F.linear(d, h), SAME + DEVICE_FIRST.format("mat2", "wrapper_CUDA_mm")),
        (lambda h, d: torch.cat([d, h]), SAME + DEVICE_FIRST.format("tensors", "wrapper_CUDA_cat")),
        (
            lambda h, d: F.embedding(torch.tensor([0]), d),
            SAME + DEVICE_FIRST.format("index", "wrapper_CUDA__index_select"),
        ),
        (
            lambda h, d: d.scatter_(0, torch.zeros(1, 1, dtype=torch.long), 1.0),
            SAME + DEVICE_FIRST.format("index", "wrapper_CUDA_scatter__value"),
        ),
        (
            lambda h, d: torch.topk(d, 1, out=(h, torch.zeros(1, dtype=torch.long))),
            SAME + HOST_FIRST.format("self", "wrapper_CUDA_topk_out_values"),
        ),
        (
            lambda h, d: F.cross_entropy(d, torch.tensor([0, 1])),
            SAME + DEVICE_FIRST.format("target", "wrapper_CUDA_nll_loss_forward"),
        ),
        (
            lambda h, d: F.layer_norm(d, (2,), h[0]),
            SAME + DEVICE_FIRST.format("weight", "wrapper_CUDA__native_layer_norm"),
        ),
        (
            lambda h, d: h[torch.tensor([0], device="cuda")],
            "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
        ),
        (
            lambda h, d: d.index_put_((torch.tensor([0]),), h[0]),
            f"{SAME}found at least two devices, cuda:0 and cpu!",
        ),
        (
            lambda h, d: d.index_put_((torch.tensor([0]),), h[0], accumulate=True),
            "expected device cuda:0 but got device cpu for value tensor",
        ),
        (
            lambda h, d: d.masked_scatter(d > 0, h),
            SAME + DEVICE_FIRST.format("source", "wrapper_CUDA__masked_scatter_"),
        ),
        (
            lambda h, d: torch.segment_reduce(d[0], "sum", lengths=torch.tensor([2])),
            "Expected data.get_device() == lengths_value.get_device() to be true, but got false.",
        ),
        (
            lambda h, d: d.set_(h),
            'Attempted to set the storage of a tensor on device "cuda:0" to a storage on different device '
            '"cpu".',
        ),
        (lambda h, d: d.to("meta") + d, "Tensor on device cuda:0 is not on the expected device meta!"),
        (lambda h, d: d * d.to("meta"), "Tensor on device meta is not on the expected device cuda:0!"),
        (
            lambda h, d: F.linear(d, d.to("meta"), d[0].to("meta")),
            "Tensor on device meta is not on the expected device cuda:0!",
        ),
        (lambda h, d: __import__("numpy").from_dlpack(d), "Unsupported device in DLTensor."),
        (
            lambda h, d: d.masked_fill(h > 0, 1.0),
            "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
        ),
        (
            lambda h, d: F.conv2d(d[None, None], h[None, None]),
            "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
        ),
        (
            lambda h, d: F.scaled_dot_product_attention(d[None], h[None], d[None]),
            "Expected query, key, and value to have the same device type, but got "
            "query.device: cuda:0 key.device: cpu and value.device: cuda:0 instead.",
        ),
        (
            lambda h, d: nn.LSTM(2, 3).cuda()(h),
            "Input and parameter tensors are not at the same device, found input tensor at cpu and "
            "parameter tensor at cuda:0",
        ),
        (
            lambda h, d: nn.GRU(2, 3).cuda()(d, torch.zeros(1, 3)),
            "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden "
            "tensor at cpu",
        ),
        (
            lambda h, d: torch.randn(2, device="cuda", generator=torch.Generator()),
            "Expected a 'cuda' device type for generator but found 'cpu'",
        ),
        (
            lambda h, d: torch.randn(2, generator=torch.Generator("cuda")),
            "Expected a 'cpu' device type for generator but found 'cuda'",
        ),
        (
            lambda h, d: nn.utils.rnn.pack_padded_sequence(d[None], torch.tensor([2], device="cuda"), True),
            "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
        ),
        (
            lambda h, d: torch.tensor_split(d, torch.tensor([1], device="cuda")),
            "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on cuda:0",
        ),
        (
            lambda h, d: torch.sparse_coo_tensor(torch.tensor([[0]]), d[0, :1]),
            f"{SAME}got values is on cuda:0, different from other tensors on cpu (when checking argument in "
            "method wrapper_SparseCUDA___sparse_coo_tensor_with_dims_and_tensors)",
        ),
        (
            lambda h, d: torch.sparse_csr_tensor([0, 1], torch.tensor([0]), d[0, :1], (1, 2)),
            "Values and col_indices need to be on the same device.",
        ),
        (lambda h, d: torch.meshgrid(h[0], d[0]), "meshgrid expects all tensors to have the same device"),
        (
            lambda h, d: setattr(h.requires_grad_(), "grad", d),
            "attempting to assign a gradient with device type 'cuda' to a tensor with device type 'cpu'. "
            "Please ensure that the gradient and the tensor are on the same device",
        ),
        (
            lambda h, d: setattr(d.requires_grad_(), "grad", torch.ones(2, 2, device="cuda:1")),
            "attempting to assign a gradient located on device with index '\x01' to a tensor located on "
            "device with index '",
        ),
        (lambda h, d: torch.histogram(d[0], 2), "Could not run 'aten::histogram.bin_ct'"),
    ],
)
def test_torchs_own_words(call: Callable[[Tensor, Tensor], object], text: str) -> None:
    with Simulation("cuda", 2):
        host, device = torch.ones(2, 2), torch.ones(2, 2, device="cuda")
        with pytest.raises(RuntimeError, match=re.escape(text)):
            call(host, device)


def test_a_generators_state_stays_on_the_host() -> None:
    with Simulation("cuda"):
        state = torch.cuda.get_rng_state()
        torch.cuda.set_rng_state(state)
        with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
            torch.cuda.set_rng_state(state.cuda())


def test_a_legacy_constructor_takes_tensors_of_its_device() -> None:
    with Simulation("cuda"):
        ids = torch.cuda.LongTensor([1])  # type: ignore[attr-defined]
        assert torch.cuda.LongTensor(ids).device.type == "cuda"  # type: ignore[attr-defined]
        with pytest.raises(
            TypeError, match=r"dtype=long int, device=cuda, .*got TensorOptions\(dtype=float, device=cpu"
        ):
            torch.cuda.LongTensor(torch.ones(1))  # type: ignore[attr-defined]


def test_torch_takes_by_dlpack_what_numpy_does_not() -> None:
    with Simulation("cuda"):
        assert dlpack.from_dlpack(torch.ones(2, device="cuda")).device.type == "cuda"


@pytest.mark.parametrize(
    "call", [lambda x: x.numpy(), lambda x: x.__array__(), lambda x: __import__("numpy").asarray(x)]
)
def test_numpy_cannot_read_a_device(call: Callable[[Tensor], object]) -> None:
    text = (
        "can't convert cuda:0 device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )
    with Simulation("cuda"), pytest.raises(TypeError, match=re.escape(text)):
        call(torch.ones(2, device="cuda"))


@pytest.mark.parametrize(
    "call",
    [
        lambda h, d: d * torch.tensor(2.0),
        lambda h, d: torch.where(d > 0, d, torch.tensor(0.0)),
        lambda h, d: d[torch.tensor([0, 1])],
        lambda h, d: d[torch.ones(2, dtype=torch.bool)],
        lambda h, d: d.__setitem__(slice(0, 1), h[0:1]),
        lambda h, d: d.__setitem__(torch.tensor([0]), 1.0),
        lambda h, d: d.__setitem__(0, torch.tensor(3.0)),
        lambda h, d: h.__setitem__(d > 0, 1.0),
        lambda h, d: h.__setitem__(torch.tensor([0], device="cuda"), 1.0),
        lambda h, d: h.__setitem__(torch.tensor([0], device="cuda"), torch.ones(1, 2)),
        lambda h, d: h.index_put_((torch.tensor([0]),), d.sum()),
        lambda h, d: d.copy_(h),
        lambda h, d: h.copy_(d),
        lambda h, d: d.fill_(torch.tensor(1.0)),
        lambda h, d: d.masked_fill(d > 0, torch.tensor(1.0)),
        lambda h, d: F.one_hot(torch.tensor([0, 1], device="cuda"), 3),
        lambda h, d: F.ctc_loss(
            d.log_softmax(1)[:, None], torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1])
        ),
        lambda h, d: torch.unravel_index(torch.tensor([1], device="cuda"), (2, 2)),
    ],
)
def test_what_torch_allows_is_allowed(call: Callable[[Tensor, Tensor], object]) -> None:
    with Simulation("cuda"):
        h, d = torch.ones(2, 2), torch.ones(2, 2, device="cuda")
        call(h, d)
        assert (h.device, d.device) == (torch.device("cpu"), torch.device("cuda", 0))


def test_a_mismatch_in_backward_raises() -> None:
    with Simulation("cuda"):
        x = torch.ones(2, device="cuda", requires_grad=True)
        y = x * 2
        y.register_hook(lambda gradient: gradient + torch.ones(2))  # type: ignore[no-untyped-call]
        with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cpu!"):
            y.sum().backward()  # type: ignore[no-untyped-call]


def test_whoever_guards_the_program_may_let_it_go_on() -> None:
    seen: list[tuple[str, object]] = []

    def let(error: Exception, function: object, *_: object) -> bool:
        seen.append((str(error), function))
        return True

    with Simulation("cuda", on_mismatch=let):
        result = torch.ones(2, device="cuda") + torch.ones(2)
        assert result.tolist() == [2.0, 2.0]
        assert result.is_cuda
    assert seen == [(f"{SAME}found at least two devices, cuda:0 and cpu!", Tensor.add)]


def test_reads_of_the_device_are_told() -> None:
    seen: list[str] = []
    with Simulation("cuda", on_hidden_read=lambda kernel, *_: seen.append(kernel)):
        x = torch.ones(2, device="cuda")
        torch.ones(2).sum().item()
        assert not seen
        torch.equal(x, x)
        x.nonzero()
        x.sum().item()
    assert seen == ["aten::equal", "aten::nonzero", "aten::_local_scalar_dense"]


def test_lists_of_tensors_are_judged_element_by_element() -> None:
    with Simulation("cuda", 2):
        weights = [torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")]
        sums = torch._foreach_add(weights, [weight * 2 for weight in weights])
        assert [str(result.device) for result in sums] == ["cuda:0", "cuda:1"]
        with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cuda:1!"):
            torch._foreach_add(weights, weights[::-1])


@pytest.mark.parametrize(
    "call",
    [
        lambda d: torch.linalg.lstsq(input=d, b=d).solution,
        lambda d: torch.linalg.matrix_rank(input=d, atol=torch.zeros((), device="cuda")),
        lambda d: torch.gradient(input=d[0], spacing=(torch.arange(2.0, device="cuda"),)),
        lambda d: torch.linalg.multi_dot(tensors=[d, d]),
        lambda d: torch.tensor_split(input=d, sections=2),
    ],
)
def test_operands_can_be_given_by_name(call: Callable[[Tensor], object]) -> None:
    with Simulation("cuda"):
        assert all(tensor.is_cuda for tensor in tree_leaves(call(torch.eye(2, device="cuda"))))


ON_HOST, ON_DEVICE = ("cpu", "cuda:0"), ("cuda:0", "cpu")


@pytest.mark.parametrize(("out", "operand"), [ON_HOST, ON_DEVICE, ("cuda:1", "cuda:0")])
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x, out: torch.diff(x, out=out), "Expected all tensors to be on the same device, but found "),
        (lambda x, out: torch.quantile(x, 0.5, out=out), "quantile() out tensor must be on the same device"),
        (lambda x, out: torch.inner(x, x, out=out), "tensordot: Expected the output and input tensors to be"),
        (lambda x, out: torch.tensordot(x, x, 1, out=out), "got the output tensor on {out}, input tensor a"),
        (lambda x, out: torch.linalg.cond(x, out=out), "but got result on {out} and input on {operand}"),
        (lambda x, out: torch.linalg.norm(x, out=out), "but got result on {operand} and input on {out}"),
        (lambda x, out: torch.linalg.matrix_norm(x, out=out), "linalg.matrix_norm: Expected result and inp"),
        (lambda x, out: torch.linalg.pinv(x, out=out), "linalg.pinv: Expected result and input tensors to"),
        (lambda x, out: torch.linalg.tensorinv(x, ind=1, out=out), "tensorinv: Expected result and input"),
        (lambda x, out: torch.linalg.tensorsolve(x, x[0], out=out), "tensorsolve: Expected result and inp"),
        (lambda x, out: torch.linalg.matrix_rank(x, out=out.long()), "torch.linalg.matrix_rank: Expected"),
        (
            lambda x, out: torch.slice_copy(x, 0, 0, 1, out=out),
            "Expected out tensor to have device {operand}",
        ),
        (lambda x, out: torch.narrow_copy(x, 0, 0, 1, out=out), "Could not run 'aten::narrow_copy.out' with"),
    ],
)
def test_results_are_written_where_operands_are(
    call: Callable[[Tensor, Tensor], object], text: str, out: str, operand: str
) -> None:
    with Simulation("cuda", 2), pytest.raises((RuntimeError, NotImplementedError)) as raised:
        call(torch.eye(2, device=operand), torch.empty(0, device=out))
    assert text.format(out=out, operand=operand) in str(raised.value)


def test_a_device_can_be_asked_for_by_name() -> None:
    with Simulation("cuda"):
        assert torch.get_device(input=torch.ones(1, device="cuda")) == 0
