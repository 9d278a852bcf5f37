"""Tests of torch's answers about simulated devices, and of choosing among them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.testing._internal.common_utils import CudaNonDefaultStream

import devlint
from devlint.simulation import Simulation


def test_there_are_as_many_as_asked_for() -> None:
    with Simulation("cuda", 2):
        assert torch.cuda.is_available()
        assert torch.cuda.device_count() == 2
        assert torch.accelerator.current_accelerator() == torch.device("cuda")
        assert torch.accelerator.device_count() == 2
        assert torch.cuda.get_device_properties(1).total_memory > 0
        assert torch.cuda.memory_allocated() == 0


@pytest.mark.parametrize("device_type", ["xpu", "mps"])
def test_other_accelerators(device_type: str) -> None:
    with Simulation(device_type):
        assert torch.ones(2, device=device_type).device == torch.device(device_type, 0)
        assert torch.accelerator.current_accelerator() == torch.device(device_type)
        layer = nn.Linear(2, 2).to(device_type)
        layer(torch.ones(1, 2, device=device_type)).sum().backward()
        with pytest.raises(RuntimeError, match="same device"):
            layer(torch.ones(1, 2))


def test_the_current_device_is_where_cuda_means() -> None:
    with Simulation("cuda", 2):
        with torch.cuda.device(1):
            assert torch.cuda.current_device() == 1
            assert torch.ones(1, device="cuda").device == torch.device("cuda:1")
            assert torch.ones(1).cuda().device == torch.device("cuda:1")
        assert torch.cuda.current_device() == 0
        torch.cuda.set_device("cuda:1")
        assert torch.ones(1, device="cuda").device == torch.device("cuda:1")


def test_an_index_alone_names_the_accelerator() -> None:
    with Simulation("cuda", 2):
        assert torch.device(1) == torch.device("cuda:1")
        assert torch.device(device=1) == torch.device(device="cuda:1") == torch.device("cuda:1")
        assert torch.device(7).index == 7  # whether there is one shows when it is used
        with pytest.raises(RuntimeError, match="must not be negative"):
            torch.device(-1)
    with Simulation("xpu"):
        assert torch.device(0) == torch.device("xpu:0")


def test_it_is_each_threads_own() -> None:
    seen = []

    def work() -> None:
        torch.cuda.set_device(1)
        seen.append(torch.ones(1, device="cuda").device)

    with Simulation("cuda", 2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert seen == [torch.device("cuda:1")]
        assert torch.cuda.current_device() == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.zeros(1, device="cuda:2"),
        lambda: torch.zeros(1).cuda(2),
        lambda: torch.zeros(1).to("cuda:2"),
        lambda: torch.cuda.set_device(2),
    ],
)
def test_a_device_that_is_not_there(call: Callable[[], object]) -> None:
    with Simulation("cuda", 2), pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal"):
        call()


def test_streams_and_events_order_nothing() -> None:
    with Simulation("cuda"):
        cuda: Any = torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        stream = cuda.Stream()
        begin.record()
        with torch.cuda.stream(stream):
            x = torch.ones(2, device="cuda")
            x.record_stream(stream)
            assert cuda.current_stream() is stream
        assert cuda.current_stream() is cuda.default_stream()
        torch.cuda.current_stream().wait_stream(stream)
        end.record()
        torch.cuda.synchronize()
        assert begin.elapsed_time(end) >= 0


def test_streams_by_their_numbers() -> None:
    """As torch's own tests put them in force (`CudaNonDefaultStream`)."""
    with Simulation("cuda", 2), CudaNonDefaultStream():
        cuda: Any = torch.cuda
        for device in range(2):
            assert cuda.current_stream(device) is not cuda.default_stream(device)
            assert cuda.current_stream(device).device_index == device
        assert torch.cuda.current_device() == 0
        assert cuda.Stream().stream_id != cuda.Stream().stream_id


def test_data_parallel() -> None:
    def outputs(device: str) -> tuple[torch.Tensor, torch.Tensor]:
        torch.manual_seed(0)
        network: nn.Module = nn.Linear(3, 2).to(device)
        if device == "cuda":
            network = nn.DataParallel(network)
        result = network(torch.ones(4, 3).to(device))
        result.sum().backward()
        gradient = next(network.parameters()).grad
        assert gradient is not None
        return result.cpu(), gradient.cpu()

    expected = outputs("cpu")
    with Simulation("cuda", 2):
        assert all(map(torch.equal, outputs("cuda"), expected))


def test_data_parallel_trains_as_the_parts_of_a_batch_do() -> None:
    """Bit for bit. A batch as a whole has other sums, and other statistics in normalization."""

    def gradients(*, parallel: bool) -> list[torch.Tensor]:
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))
        batch, targets = torch.randn(32, 16), torch.randint(4, (32,))
        if parallel:
            results = nn.DataParallel(network.cuda())(batch.cuda())
        else:
            results = torch.cat([network(part) for part in batch.chunk(2)])
        nn.functional.cross_entropy(results, targets.to(results.device)).backward()  # type: ignore[no-untyped-call]
        return [parameter.grad.cpu() for parameter in network.parameters() if parameter.grad is not None]

    expected = gradients(parallel=False)
    with Simulation("cuda", 2):
        assert all(map(torch.equal, gradients(parallel=True), expected))


def test_data_parallel_takes_a_batch_from_the_host() -> None:
    seen: list[torch.device] = []
    network = nn.Linear(3, 2)
    network.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].device))
    batch = torch.ones(6, 3, requires_grad=True)
    expected = network(batch)
    for count in (1, 2, 3):  # anew each time: torch keeps the streams on which it copies
        seen.clear()
        with Simulation("cuda", count):
            result = nn.DataParallel(network.cuda())(batch)
            assert result.device == torch.device("cuda:0")
            (gradient,) = torch.autograd.grad(result.sum(), batch)
            assert gradient.is_cpu
            assert torch.equal(result.cpu(), expected)
            assert sorted(place.index for place in seen) == list(range(count))
        network.cpu()


def test_nobody_waits_for_what_data_parallel_scatters() -> None:
    with devlint.simulate("cuda", devices=2):
        network = nn.DataParallel(nn.Linear(3, 2).cuda())
        with devlint.guard(sync="disallow"):
            assert network(torch.ones(4, 3)).is_cuda


def test_data_parallel_wants_the_module_on_its_first_device() -> None:
    with Simulation("cuda", 2), pytest.raises(RuntimeError, match="module must have its parameters"):
        nn.DataParallel(nn.Linear(3, 2))(torch.ones(4, 3))


def test_a_single_process_of_distributed_training(tmp_path: Path) -> None:
    with Simulation("cuda"):
        torch.distributed.init_process_group(
            "nccl", init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1
        )
        try:
            network = nn.parallel.DistributedDataParallel(nn.Linear(3, 2).cuda(), device_ids=[0])
            network(torch.ones(4, 3, device="cuda")).sum().backward()
            gradient = network.module.weight.grad
            assert gradient is not None
            assert gradient.is_cuda
            assert gradient.tolist() == [[4.0] * 3] * 2
            for _ in range(2):  # the buckets are made anew once
                network(torch.ones(4, 3, device="cuda")).sum().backward()
            assert gradient.tolist() == [[12.0] * 3] * 2
        finally:
            torch.distributed.destroy_process_group()


def test_a_forked_process_cannot_use_them() -> None:
    class Rows(torch.utils.data.Dataset[torch.Tensor]):
        """Makes its rows on the device."""

        def __len__(self) -> int:
            return 2

        def __getitem__(self, place: int) -> torch.Tensor:
            return torch.ones(1, device="cuda")

    loader = torch.utils.data.DataLoader(Rows(), num_workers=1, multiprocessing_context="fork")
    with (
        Simulation("cuda"),
        pytest.raises(RuntimeError, match="Cannot re-initialize CUDA in forked subprocess"),
    ):
        list(loader)


def test_a_stream_in_force_makes_its_device_the_current_one() -> None:
    """`THCPModule_setStream_wrap` in torch/csrc/cuda/Module.cpp does so."""
    with Simulation("cuda", 2):
        cuda: Any = torch.cuda
        with cuda.stream(cuda.Stream(device=1)):
            assert torch.ones(1, device="cuda").device == torch.device("cuda:1")
            assert torch.cuda.current_device() == 1
        assert torch.cuda.current_device() == 0
        torch.cuda.set_stream(torch.cuda.default_stream(1))
        assert torch.cuda.current_device() == 1


@pytest.mark.parametrize("fill", [nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_])
def test_a_generator_beside_a_tensor_that_is_given_by_name(fill: Callable[..., torch.Tensor]) -> None:
    with Simulation("cuda"):
        generator = torch.Generator("cuda")
        assert fill(torch.empty(3, 2, device="cuda"), generator=generator).is_cuda
        with pytest.raises(RuntimeError, match="generator"):
            fill(torch.empty(3, 2, device="cpu"), generator=generator)


def test_the_stream_in_force_is_a_stream() -> None:
    with Simulation("cuda"):
        assert isinstance(torch.cuda.current_stream(), torch.cuda.Stream)
        assert isinstance(torch.cuda.default_stream(), torch.cuda.Stream)


def test_the_compiler_can_be_reset() -> None:
    """Where there are devices, torch forgets its CUDA graphs too."""
    from torch._inductor import cudagraph_trees  # noqa: PLC0415  # no other test needs the compiler

    with Simulation("cuda"):
        compiler: Any = torch.compiler
        compiler.reset()
        before = cudagraph_trees.MarkStepBox.mark_step_counter
        compiler.cudagraph_mark_step_begin()
        assert cudagraph_trees.MarkStepBox.mark_step_counter == before - 1
